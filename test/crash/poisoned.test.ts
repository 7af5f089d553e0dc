import { describe, expect, it } from "vitest";
import { scriptFlow, stateAfter } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

/** The shell that runs the command is a child of the worker. */
const KILLS_ITS_WORKER = `; if [ "$AGENTFLOW_WHILE_ITERATION" = 2 ]; then kill -9 $PPID; fi`;
const MAX_ATTEMPTS = 5;

type Evidence = { iteration: number; attempt: number; worker: string };

/** Starts a worker whenever the one before has died, as `agentflow dev` does; returns how many died until `work` was over. */
async function withWorkers(rig: Rig, work: Promise<unknown>): Promise<number> {
  let deaths = 0;
  const over = work.then(() => "over");
  for (;;) {
    const worker = await rig.worker();
    const end = await Promise.race([worker.ended, over]);
    if (end === "over") return deaths;
    deaths += 1;
  }
}

describe.each(queueKinds)("an iteration that kills every worker, jobs on %s", (kind) => {
  it("L-51, A3: fails its run with worker_lost after 5 attempts, with evidence, and no other run", async () => {
    const rig = await Rig.open(kind);
    const runId = await rig.start(scriptFlow({ done: 3, extra: KILLS_ITS_WORKER }));
    const healthy = scriptFlow({ done: 20 });
    const others = [await rig.start(healthy), await rig.start(healthy)];
    // Four leases and the waits between them, which grow to 8 s.
    const limitMs = 100_000;
    const ends = [
      rig.reaches(runId, "failed", limitMs),
      ...others.map((other) => rig.reaches(other, "succeeded", limitMs)),
    ];
    expect(await withWorkers(rig, Promise.all(ends))).toBe(MAX_ATTEMPTS);

    const lost = { status: "failed", code: "worker_lost", iterations: 1, state: stateAfter(1) } as const;
    expect(await rig.violations(runId, lost)).toEqual([]);
    for (const other of others)
      expect(
        await rig.violations(other, { status: "succeeded", iterations: 20, state: stateAfter(20) }),
      ).toEqual([]);

    const starts = (await rig.ledger(runId)).filter(({ iteration }) => iteration === 2);
    expect(starts).toHaveLength(MAX_ATTEMPTS);
    expect(new Set(starts.map(({ key }) => key)).size).toBe(1);
    const failure: unknown = JSON.parse(await rig.column(runId, "failure"));
    expect(failure).toMatchObject({ node: "loop", iteration: 2, details: { attempts: MAX_ATTEMPTS } });
    const { rows } = await rig.database.query<Evidence>(
      "select iteration, attempt, worker from attempt where run_id = $1 order by token",
      [runId],
    );
    expect(rows.map(({ iteration, attempt }) => [iteration, attempt])).toEqual(
      [1, 2, 3, 4, 5].map((attempt) => [2, attempt]),
    );
    expect(new Set(rows.map(({ worker }) => worker)).size).toBe(MAX_ATTEMPTS);
  });
});
