import type { Wake, WakeProducer } from "@agentflow/engine";
import {
  startConsumer,
  type AddingConsumer,
  type Consumer,
  type ConsumerOptions,
} from "./bullmq/consumer.ts";
import type { Driver, ServerCheck } from "./bullmq/driver.ts";
import { postgresDriver } from "./bullmq/postgres.ts";
import { QueueHandle } from "./bullmq/queue-handle.ts";
import { redisDriver } from "./bullmq/redis.ts";
import { ADD_DEADLINE_MS, DEFAULT_PREFIX } from "./bullmq/settings.ts";
import { withDeadline } from "./deadline.ts";
import { toJob } from "./job.ts";
import { withoutRepeats, type OnProblem } from "./problems.ts";

export type QueueTarget =
  | { readonly kind: "redis"; readonly url: string; readonly prefix?: string }
  /** Needs `migrateQueue` first. BullMQ's tables live in the schema `bullmq`, always. */
  | { readonly kind: "postgres"; readonly url: string; readonly schema?: "bullmq" };

export interface Queue {
  readonly kind: "redis" | "postgres";
  readonly producer: WakeProducer;
  /** Starts to take jobs; works again by itself after any outage (S-27). */
  consume(options: ConsumerOptions): Consumer;
  /** Whether the server answers, within 1.5 s. */
  ping(): Promise<boolean>;
  /** Jobs that wait to be taken, delayed ones not counted; rejects within 1.5 s when the server is away. */
  depth(): Promise<number>;
  /** Whether the server may be used: version (S-29), eviction (B1). Throws within 5 s when it is away. */
  checkServer(options: { allowEviction: boolean }): Promise<ServerCheck>;
  /** Closes the consumers and every connection; resolves about a second after the deadline at the latest (A14). */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Opens the queue. A server that is away is no error: adding rejects until it is there (S-17). Rejects when BullMQ's
 * tables are missing in PostgreSQL or made by a later BullMQ.
 */
export async function openQueue(target: QueueTarget, options: { onProblem: OnProblem }): Promise<Queue> {
  const driver: Driver =
    target.kind === "redis"
      ? redisDriver(target.url, target.prefix ?? DEFAULT_PREFIX)
      : postgresDriver(target.url);
  const onProblem = withoutRepeats(options.onProblem);
  const handle = new QueueHandle(driver, (error) => onProblem({ kind: "queue", error }));
  try {
    await handle.connect(ADD_DEADLINE_MS);
  } catch (error) {
    await handle.close(0);
    throw error;
  }
  return queueOver(driver, handle);
}

function queueOver(driver: Driver, handle: QueueHandle): Queue {
  const consumers = new Set<AddingConsumer>();
  const ping = (): Promise<boolean> => handle.ping(ADD_DEADLINE_MS).catch(() => false);
  return {
    kind: driver.kind,
    producer: {
      add: (wakes) => withDeadline(add(handle, consumers, wakes), ADD_DEADLINE_MS, "take the job"),
    },
    consume(options) {
      const consumer = startConsumer(driver, ping, {
        ...options,
        onProblem: withoutRepeats(options.onProblem),
      });
      consumers.add(consumer);
      return consumer;
    },
    ping,
    depth: () =>
      withDeadline(
        handle.get().then((bull) => bull.getWaitingCount()),
        ADD_DEADLINE_MS,
        "answer",
      ),
    checkServer: (options) => driver.checkServer(options),
    async close(deadlineMs) {
      await Promise.all([...consumers].map((consumer) => consumer.close(deadlineMs)));
      await handle.close(Math.min(deadlineMs, 500));
    },
  };
}

/**
 * One job alone goes over the connection of a consumer of this process where that can be: a run's next job is then in the
 * queue before the job ends that adds it. BullMQ's bulk insert into PostgreSQL makes temporary tables: one alone does not.
 */
async function add(
  handle: QueueHandle,
  consumers: ReadonlySet<AddingConsumer>,
  wakes: readonly Wake[],
): Promise<void> {
  const [first, ...others] = wakes;
  if (first === undefined) return;
  if (others.length > 0) {
    await (await handle.get()).addBulk(wakes.map(toJob));
    return;
  }
  for (const consumer of consumers) {
    const added = consumer.add(first);
    if (added !== null) {
      await added;
      return;
    }
  }
  const { name, data, opts } = toJob(first);
  await (await handle.get()).add(name, data, opts);
}
