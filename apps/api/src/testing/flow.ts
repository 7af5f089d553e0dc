import { createTimeline } from "@agentflow/engine";
import type { TestApi } from "./test-api.ts";

/** One loop over a script: takes a JSON state and shows the last one. */
export const countSource = `
const start = provide.json("Start", { value: "{\\"n\\":0}" });
const note = provide.text("Note", { value: "none" });
const limit = provide.text("Limit", { value: "5" });
const loop = control.while("Count", { state: start.value, maxIterations: limit.value, timeout: "10s" }, \`node \${flowDir}/scripts/step.mjs\`);
const report = display.code("Report", { content: loop.state });
const noted = display.markdown("Noted", { content: note.value });
export const run = flow("Run", loop, report, noted);
`;

export const countFlow = {
  name: "count",
  source: countSource,
  files: { "scripts/step.mjs": 'process.stdout.write(\'{"decision":"wait"}\');\n' },
};

/** Registers the flow and starts a run of it; returns the run's id. */
export async function startCount(api: TestApi, body: object = {}): Promise<string> {
  await api.post("/v1/flows", countFlow);
  const started = await api.post("/v1/runs", { flow: "count", ...body });
  return (started.json() as { id: string }).id;
}

const loop = '["loop"]';

/** Takes the run through iterations as a worker would, the last one deciding `wait`; `state` is exact JSON text. */
export async function park(api: TestApi, runId: string, state = '{"n":1}'): Promise<void> {
  const { work } = api.store;
  const token = api.store.tables.runs.get(runId)?.token ?? 0;
  const claimed = await work.claim({ runId, token }, "worker-1", 15_000, 5);
  if (claimed.kind !== "claimed") throw new Error(`the run cannot be claimed: ${claimed.kind}`);
  const { claim } = claimed;
  const before = await work.checkpoint(runId, loop);
  const iteration = before?.checkpoint.nextIteration ?? 1;
  const checkpoint = {
    ...({
      schema: 1,
      status: "waiting",
      epoch: 0,
      state,
      stateDigest: "d",
      fingerprint: "f".repeat(64),
    } as const),
    ...({
      elapsedMs: 5 * iteration,
      maxIterations: 5,
      timeoutMs: 10_000,
      decision: "wait",
      summary: "approve",
      ...{ succeeded: iteration, failed: 0, paced: 0, tries: 0, last: null },
    } as const),
    nextIteration: iteration + 1,
  };
  if (before === null)
    await work.beginLoop(
      claim,
      { path: loop, label: "Count", checkpoint: { ...checkpoint, state: '{"n":0}', nextIteration: 1 } },
      [],
    );
  const earlier = before?.checkpoint.state ?? '{"n":0}';
  const step = await createTimeline(work, 1_000_000).step(before?.step, earlier, state);
  const committed = await work.commitIteration({
    step,
    fence: claim,
    path: loop,
    expectedIteration: iteration,
    checkpoint,
    stateChanged: true,
    entry: {
      iteration,
      decision: "wait",
      summary: "approve",
      elapsedMs: 5,
      idempotencyKey: `afw_${iteration}`,
    },
    attempts: 1,
    run: { status: "waiting" },
    events: [],
  });
  if (committed.kind !== "committed") throw new Error("the iteration was not committed");
}

/** Registers, starts and parks a run. */
export async function startWaiting(api: TestApi): Promise<string> {
  const id = await startCount(api);
  await park(api, id);
  return id;
}

/** The run's status as the API shows it. */
export async function statusOf(api: TestApi, id: string): Promise<string> {
  return (await api.get(`/v1/runs/${id}`)).json().status;
}
