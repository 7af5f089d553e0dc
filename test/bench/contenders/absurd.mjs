import { readFile } from "node:fs/promises";
import { Absurd } from "absurd-sdk";
import pg from "pg";
import { checkState, firstState, nextState, STATE_BYTES } from "./step.mjs";

/** Absurd as its README says: one task per loop, one step per iteration. Its schema is not on npm and must be given. */
export async function open({ databaseUrl, concurrency, absurdSql }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  await pool.query(await readFile(absurdSql, "utf8"));
  const app = new Absurd({ db: databaseUrl, queueName: "bench" });
  await app.createQueue("bench");
  app.registerTask({ name: "loop" }, async ({ iterations }, ctx) => {
    let state = firstState(STATE_BYTES);
    for (let i = 0; i < iterations; i++) {
      const before = state;
      state = await ctx.step("step", async () => nextState(before));
    }
    return state;
  });
  const worker = await app.startWorker({ concurrency });
  let ended = [];

  const loop = async (iterations) => {
    const { taskID } = await app.spawn("loop", { iterations });
    const { state, result } = await app.awaitTaskResult(taskID, { timeout: 120 });
    if (state !== "completed") throw new Error(`a task is ${state}`);
    ended.push({ taskID, iterations, state: result });
  };
  return {
    settings: { concurrency },
    loops: (n, iterations) => Promise.all(Array.from({ length: n }, () => loop(iterations))),
    verify: async () => {
      for (const { taskID, iterations, state } of ended.splice(0)) {
        checkState(state, iterations, STATE_BYTES);
        const { rows } = await pool.query(
          "select count(*)::int as n from absurd.c_bench where task_id = $1",
          [taskID],
        );
        if (rows[0].n !== iterations) throw new Error(`${rows[0].n} steps stored of ${iterations}`);
      }
    },
    close: async () => {
      await worker.close();
      await app.close();
      await pool.end();
    },
  };
}
