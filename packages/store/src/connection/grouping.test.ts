import { describe, expect, test } from "vitest";
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
    const add = grouping({ maxItems: 64, maxInFlight: 2, send });
    const answers = [1, 2, 3].map(add);
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    sent[0]!.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  });

  test("while two statements are under way the rest waits and shares the next one, up to its size", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 4, maxInFlight: 2, send });
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

  test("C13: a refused value fails alone; its neighbours are sent again without it", async () => {
    const refused = Object.assign(new Error("bad"), { code: "22021" });
    const send = async (items: readonly number[]) => {
      if (items.includes(2)) throw refused;
      return items.map((item) => item * 10);
    };
    const add = grouping({ maxItems: 64, maxInFlight: 1, send });
    const answers = await Promise.allSettled([1, 2, 3].map(add));
    expect(answers).toEqual([
      { status: "fulfilled", value: 10 },
      { status: "rejected", reason: refused },
      { status: "fulfilled", value: 30 },
    ]);
  });

  test("C3: an outage is told to all at once: nobody sends again what may be stored", async () => {
    const { sent, send } = sender();
    const add = grouping({ maxItems: 64, maxInFlight: 1, send });
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
    const add = grouping({ maxItems: 64, maxInFlight: 1, send });
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
