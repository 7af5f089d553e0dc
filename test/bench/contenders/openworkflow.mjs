import { OpenWorkflow } from "openworkflow";
import { BackendPostgres } from "openworkflow/postgres";
import pg from "pg";
import { checkState, firstState, nextState, STATE_BYTES } from "./step.mjs";

/** OpenWorkflow as its quickstart says: one workflow per loop, one step per iteration. */
export async function open({ databaseUrl, concurrency }) {
  const backend = await BackendPostgres.connect(databaseUrl);
  const ow = new OpenWorkflow({ backend });
  const workflow = ow.defineWorkflow({ name: "loop" }, async ({ input, step }) => {
    let state = firstState(STATE_BYTES);
    for (let i = 0; i < input.iterations; i++) {
      const before = state;
      state = await step.run({ name: `step-${i}` }, async () => nextState(before));
    }
    return state;
  });
  const worker = ow.newWorker({ concurrency });
  await worker.start();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  let ended = [];

  const loop = async (iterations) => {
    const handle = await workflow.run({ iterations });
    ended.push({ id: handle.workflowRun.id, iterations, state: await handle.result() });
  };
  return {
    settings: { concurrency },
    loops: (n, iterations) => Promise.all(Array.from({ length: n }, () => loop(iterations))),
    verify: async () => {
      for (const { id, iterations, state } of ended.splice(0)) {
        checkState(state, iterations, STATE_BYTES);
        const { rows } = await pool.query(
          "select count(*)::int as n from openworkflow.step_attempts where workflow_run_id = $1 and status in ('succeeded', 'completed')",
          [id],
        );
        if (rows[0].n !== iterations) throw new Error(`${rows[0].n} steps stored of ${iterations}`);
      }
    },
    close: async () => {
      await worker.stop();
      await backend.stop();
      await pool.end();
    },
  };
}
