import { Queue, Worker } from "bullmq";
import { checkState, firstState, nextState, STATE_BYTES } from "./step.mjs";

/** BullMQ alone, without a database: one job per iteration, the state in the job. The floor of the queue. */
export async function open({ redisUrl, concurrency }) {
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const kept = { removeOnComplete: true, removeOnFail: true };
  const queue = new Queue("floor", { connection, prefix: "{floor}", defaultJobOptions: kept });
  const loops = new Map();
  let ended = [];
  const worker = new Worker(
    "floor",
    async ({ data }) => {
      const state = nextState(data.state);
      const loop = loops.get(data.loop);
      loop.seen += 1;
      if (state.n < data.iterations) await queue.add("turn", { ...data, state });
      else loop.resolve(state);
    },
    { connection, prefix: "{floor}", concurrency },
  );
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  let count = 0;

  const loop = async (iterations) => {
    const id = count++;
    const record = { seen: 0 };
    const end = new Promise((resolve) => (record.resolve = resolve));
    loops.set(id, record);
    await queue.add("turn", { loop: id, iterations, state: firstState(STATE_BYTES) });
    ended.push({ record, iterations, state: await end });
    loops.delete(id);
  };
  return {
    settings: { concurrency, removeOnComplete: true },
    loops: (n, iterations) => Promise.all(Array.from({ length: n }, () => loop(iterations))),
    verify: async () => {
      for (const { record, iterations, state } of ended.splice(0)) {
        checkState(state, iterations, STATE_BYTES);
        if (record.seen !== iterations)
          throw new Error(`${record.seen} jobs ran for ${iterations} iterations`);
      }
    },
    close: async () => {
      await worker.close(true);
      await queue.close();
    },
  };
}
