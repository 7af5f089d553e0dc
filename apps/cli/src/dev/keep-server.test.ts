import { createLogger } from "@agentflow/host";
import { expect, test, vi } from "vitest";
import { keepServer } from "./keep-server.ts";

const logger = createLogger({ name: "test", level: "silent" });

/** Servers that end when told; each start is recorded with the URL it was to come back to. */
function servers(...urls: string[]) {
  const started: { before: string | undefined; end: () => void; stopped: boolean }[] = [];
  const start = async (before: string | undefined) => {
    const url = urls[started.length];
    if (url === undefined) throw new Error("no more servers");
    let end = (): void => {};
    const exited = new Promise<void>((resolve) => (end = resolve));
    const entry = { before, end, stopped: false };
    started.push(entry);
    return { url, pid: 1, exited, stop: async () => void (entry.stopped = true) };
  };
  return { start, started };
}

test("S-27: a private server that ended is started again at its URL, and nobody is disturbed", async () => {
  const { start, started } = servers("a", "a");
  const onMoved = vi.fn();
  const kept = await keepServer({ what: "postgres", start, onMoved, logger });
  started[0]!.end();
  await vi.waitFor(() => expect(started).toHaveLength(2));
  expect(started[1]!.before).toBe("a");
  await kept.stop();
  expect(started.map(({ stopped }) => stopped)).toEqual([false, true]);
  expect(onMoved).not.toHaveBeenCalled();
});

test("when it had to move, whoever uses it is told", async () => {
  const { start, started } = servers("a", "b");
  const onMoved = vi.fn();
  const kept = await keepServer({ what: "postgres", start, onMoved, logger });
  started[0]!.end();
  await vi.waitFor(() => expect(onMoved).toHaveBeenCalledOnce());
  expect(kept.url()).toBe("b");
  await kept.stop();
});

test("a server of another process is taken over when that one is gone", async () => {
  const first = { url: "a", pid: 2 ** 22 + 1, exited: null, stop: async () => {} };
  const { start, started } = servers("a");
  const kept = await keepServer({
    what: "postgres",
    start: async (before) => (before === undefined ? first : start(before)),
    onMoved: () => {},
    logger,
  });
  await vi.waitFor(() => expect(started).toHaveLength(1));
  await kept.stop();
  expect(started[0]!.stopped).toBe(true);
});

test("a stop ends it and does not start it again", async () => {
  const { start, started } = servers("a", "a");
  const kept = await keepServer({ what: "postgres", start, onMoved: () => {}, logger });
  await kept.stop();
  started[0]!.end();
  expect(started.map(({ stopped }) => stopped)).toEqual([true]);
});
