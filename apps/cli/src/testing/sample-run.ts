import type { LoopAnswer, RunAnswer } from "@agentflow/contract";

/** A run at work in its first loop. */
export function sampleRun(changes: Partial<RunAnswer> = {}): RunAnswer {
  return {
    id: "01900000-0000-7000-8000-000000000000",
    flow: "import",
    version: 3,
    status: "running",
    failure: null,
    tags: [],
    priority: null,
    concurrencyKey: null,
    attempt: 1,
    inDoubt: false,
    leaseOwner: null,
    dueAt: null,
    rerunOf: null,
    forkedFrom: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    startedAt: null,
    updatedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    keptResume: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    inputs: {},
    loops: [sampleLoop()],
    outputs: {},
    ...changes,
  };
}

export function sampleLoop(changes: Partial<LoopAnswer> = {}): LoopAnswer {
  return {
    label: "Record by record",
    path: "loop",
    status: "running",
    decision: "continue",
    iterations: 7,
    nextIteration: 8,
    maxIterations: 20,
    timeoutMs: 1_800_000,
    elapsedMs: 1234,
    summary: "",
    fingerprint: "",
    epoch: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    recent: [],
    ...changes,
  };
}
