import { randomUUID } from "node:crypto";
import type pg from "pg";
import { migrateQueue, type QueueTarget } from "@agentflow/queue";
import { inject } from "vitest";
import { redisCommand } from "../support/redis-command.ts";

export type QueueKind = QueueTarget["kind"];

/** Every case runs on both; on Redis where there is one. */
export const queueKinds: readonly QueueKind[] =
  inject("redisUrl") === null ? ["postgres"] : ["postgres", "redis"];

export const ONE_JOB_EACH = "one for each iteration";
const BURSTS = "one for a burst";

/** Every queue with a job for each iteration, and one of them with bursts. */
export const variants = [
  ...queueKinds.map((kind) => [kind, ONE_JOB_EACH] as const),
  [queueKinds.at(-1) ?? "postgres", BURSTS] as const,
];

/** Where the jobs of one rig are, seen from outside BullMQ. */
export type QueuePlace = {
  readonly target: QueueTarget;
  /** Ids of all jobs of a run, whatever their state. */
  jobs(runId: string): Promise<string[]>;
  /** What an operator does by mistake: all jobs are gone, waiting and active ones. */
  empty(): Promise<void>;
};

export async function postgresPlace(url: string, database: pg.Pool): Promise<QueuePlace> {
  await migrateQueue(url);
  return {
    target: { kind: "postgres", url },
    async jobs(runId) {
      const query = "select id from bullmq.job where id like $1 || '\\_%' order by seq";
      const { rows } = await database.query<{ id: string }>(query, [runId]);
      return rows.map(({ id }) => id);
    },
    empty: async () => void (await database.query("truncate bullmq.job cascade")),
  };
}

const LIST = `
  local ids = {}
  for _, key in ipairs(redis.call("keys", ARGV[1] .. "*")) do
    local id = string.sub(key, #ARGV[1] - #ARGV[2] + 1)
    if not string.find(id, ":", 1, true) then table.insert(ids, id) end
  end
  return redis.status_reply(table.concat(ids, " "))`;

/** On a Redis of the rig's `own`, which may be emptied, the keys are where the shipped processes look for them. */
export function redisPlace(url: string, own: boolean): QueuePlace {
  const prefix = own ? "{agentflow}" : `{${randomUUID()}}`;
  return {
    target: { kind: "redis", url, prefix },
    async jobs(runId) {
      const text = await redisCommand(url, "EVAL", LIST, "0", `${prefix}:wakes:${runId}_`, `${runId}_`);
      return text.split(" ").filter(Boolean);
    },
    empty: async () => void (await redisCommand(url, "FLUSHALL")),
  };
}
