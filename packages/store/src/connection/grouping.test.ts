import { describe, expect, test, vi } from "vitest";
import { grouping } from "./grouping.ts";

/** A sender whose statements end when told. */
function sender() {
  const sent: { items: readonly number[]; end: (error?: unknown) => void }[] = [];
  const send = (items: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      sent.push({
        items,
        end: (error) => (error === undefined ? resolve(items.map((item) => item * 10)) : reject(error)),
      });
    });
  return { sent, send };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("group commit", () => {
  test("what comes in one turn goes out at once and together, and each has its own answer", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 64, maxInFlight: 2, patienceMs: 0, send });
    const answers = [1, 2, 3].map(add);
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    sent[0]!.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  });

  test("while two statements are under way the rest waits and shares the next one, up to its size", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 4, maxInFlight: 2, patienceMs: 0, send });
    const answers = [];
    for (const item of range(1, 2)) {
      answers.push(add(item));
      await turn();
    }
    answers.push(...range(3, 8).map(add));
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2]]);
    sent[0]!.end();
    await turn();
    sent[1]!.end();
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5, 6], [7, 8]]);
    for (const { end } of sent) end();
    expect(await Promise.all(answers)).toEqual(range(1, 8).map((item) => item * 10));
  });

  test("one statement at a time while it is answered in time; a full group and a slow statement do not wait", async () => {
    vi.useFakeTimers();
    try {
      const { sent, send } = sender();
      const add = grouping({ maxItems: 3, maxInFlight: 2, patienceMs: 20, send });
      const groups = () => sent.map(({ items }) => items);
      const answers = [add(1)];
      await vi.advanceTimersByTimeAsync(0);
      answers.push(add(2));
      await vi.advanceTimersByTimeAsync(19);
      expect(groups()).toEqual([[1]]);
      await vi.advanceTimersByTimeAsync(1);
      expect(groups()).toEqual([[1], [2]]);
      sent[0]!.end();
      sent[1]!.end();
      await vi.advanceTimersByTimeAsync(100);
      answers.push(add(3));
      await vi.advanceTimersByTimeAsync(0);
      answers.push(add(4), add(5), add(6));
      await vi.advanceTimersByTimeAsync(0);
      expect(groups()).toEqual([[1], [2], [3], [4, 5, 6]]);
      answers.push(add(7));
      await vi.advanceTimersByTimeAsync(0);
      sent[2]!.end();
      sent[3]!.end();
      await vi.advanceTimersByTimeAsync(0);
      expect(groups()).toEqual([[1], [2], [3], [4, 5, 6], [7]]);
      sent[4]!.end();
      expect(await Promise.all(answers)).toEqual(range(1, 7).map((item) => item * 10));
    } finally {
      vi.useRealTimers();
    }
  });

  test("C13: a refused value fails alone; its neighbours are sent again without it", async () => {
    const refused = Object.assign(new Error("bad"), { code: "22021" });
    const send = async (items: readonly number[]) => {
      if (items.includes(2)) throw refused;
      return items.map((item) => item * 10);
    };
    const add = grouping({ maxItems: 64, maxInFlight: 1, patienceMs: 0, send });
    const answers = await Promise.allSettled([1, 2, 3].map(add));
    expect(answers).toEqual([
      { status: "fulfilled", value: 10 },
      { status: "rejected", reason: refused },
      { status: "fulfilled", value: 30 },
    ]);
  });

  test("C3: an outage is told to all at once: nobody sends again what may be stored", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 64, maxInFlight: 1, patienceMs: 0, send });
    const answers = Promise.allSettled([1, 2].map(add));
    await turn();
    const outage = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    sent[0]!.end(outage);
    expect(await answers).toEqual([
      { status: "rejected", reason: outage },
      { status: "rejected", reason: outage },
    ]);
    expect(sent).toHaveLength(1);
  });

  test("after a failure later items still go out", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 64, maxInFlight: 1, patienceMs: 0, send });
    const first = add(1).catch(() => "failed");
    await turn();
    sent[0]!.end(new Error("x"));
    expect(await first).toBe("failed");
    const second = add(2);
    await turn();
    sent[1]!.end();
    expect(await second).toBe(20);
  });
});
