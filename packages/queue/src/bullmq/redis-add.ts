import type { Wake } from "@agentflow/engine";
import type { RedisClient, RedisQueueBackend } from "bullmq";
import type { Redis } from "ioredis";
import { toJob } from "../job.ts";
import { QUEUE_SETTINGS } from "./settings.ts";
import { writeOncePerTurn } from "./turn.ts";

/**
 * Adds over the connection of a worker, and has that connection gather what it writes: the next job of a run and the end of
 * the job before it go out together, in this order, which costs one round trip and lets the end take the new job.
 */
export function adder(backend: RedisQueueBackend): (wake: Wake) => Promise<unknown> | null {
  let client: RedisClient | null = null;
  void backend.client.then(
    (connected) => {
      // BullMQ shows the client it made by a narrower type.
      const redis = connected as unknown as Redis;
      writeOncePerTurn(redis.stream);
      redis.on("connect", () => writeOncePerTurn(redis.stream));
      client = connected;
    },
    () => {},
  );
  return (wake) => {
    // While it is down the client would keep commands, and the relay keeps them already.
    if (client?.status !== "ready") return null;
    const { name, data, opts } = toJob(wake);
    const job = { ...NEW_JOB, id: opts.jobId, name, data: JSON.stringify(data), timestamp: Date.now() };
    const given = { ...QUEUE_SETTINGS.defaultJobOptions, delay: opts.delay };
    return backend.addJobToTransaction(client, { ...job, opts: given }, opts.jobId);
  };
}

const NEW_JOB = {
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  failedReason: "",
  returnvalue: "",
  stalledCounter: 0,
};
