import { afterEach, expect, it } from "vitest";
import { explainRun } from "./explain-run.ts";
import { advance } from "./advance.ts";
import { startRun } from "./start-run.ts";
import { Rig, scriptLoop } from "./testing/index.ts";

const caller = { actor: "test", remote: "memory" };
let rig: Rig;
afterEach(() => rig.close());

const start = async (concurrencyKey: string): Promise<string> => {
  const request = { flow: "flow", version: null, inputs: new Map(), tags: [], priority: null };
  const result = await startRun(rig.requestDeps, { ...request, concurrencyKey, idempotencyKey: null });
  if (result.kind !== "created") throw new Error(result.kind);
  return result.runId;
};

it(
  "A20, A21: beside 1000 runs of one tenant the only run of another needs at most twice its own iterations",
  { timeout: 60_000 },
  async () => {
    const iterations = 5;
    rig = new Rig(({ env }) => {
      const iteration = Number(env["AGENTFLOW_WHILE_ITERATION"]);
      return iteration === iterations ? '{"decision":"done"}' : '{"decision":"continue"}';
    });
    await rig.register(scriptLoop({ maxIterations: "10" }));
    await rig.store.requests.setFlowLimits("flow", { maxRunning: null, maxRunningPerKey: 1 }, caller);
    for (let i = 0; i < 1000; i += 1) await start("many");
    const only = await start("one");
    const ended = () => rig.store.tables.runs.get(only)?.status === "succeeded";
    let before = 0;
    await rig.queue.drain(async (wake) => {
      if (ended()) return;
      await advance(rig.advanceDeps, wake);
      before = rig.runner.calls.length;
    });
    expect(ended()).toBe(true);
    expect(before).toBeLessThanOrEqual(2 * iterations + 1);
  },
);

it("S-9, A22: with a limit of one all runs still end, one iteration at a time, and nothing is woken in vain", async () => {
  let active = 0;
  let most = 0;
  rig = new Rig(async ({ env }) => {
    most = Math.max(most, ++active);
    await Promise.resolve();
    active -= 1;
    return env["AGENTFLOW_WHILE_ITERATION"] === "3" ? '{"decision":"done"}' : '{"decision":"continue"}';
  });
  await rig.register(scriptLoop());
  await rig.store.requests.setFlowLimits("flow", { maxRunning: 1, maxRunningPerKey: null }, caller);
  const ids = [await start("a"), await start("b"), await start("c")];
  await rig.drain();
  for (const id of ids) expect((await rig.view(id)).status).toBe("succeeded");
  expect(most).toBe(1);
  expect(rig.outcomes.filter((outcome) => outcome === "limited").length).toBeLessThanOrEqual(
    rig.runner.calls.length,
  );
});

it("3.4 explain: it names the limit that a run is queued behind", async () => {
  rig = new Rig(() => '{"decision":"wait"}');
  await rig.register(scriptLoop());
  await rig.store.requests.setFlowLimits("flow", { maxRunning: 1, maxRunningPerKey: null }, caller);
  const [first, second] = [await start("a"), await start("b")];
  const token = (id: string) => rig.store.tables.runs.get(id)?.token ?? 0;
  await rig.store.work.claim({ runId: first, token: token(first) }, "busy", 15_000, 5);
  expect(await advance(rig.advanceDeps, { runId: second, token: token(second) })).toBe("limited");
  const explained = await explainRun({ reads: rig.store.reads }, second);
  expect(explained).toMatchObject({ reason: "limited", status: "queued", until: null });
  expect(explained?.sentence).toContain("Queued behind a limit: 1 run of its flow");
});
