export type { Consumer, ConsumerOptions } from "./bullmq/consumer.ts";
export type { ServerCheck } from "./bullmq/driver.ts";
export { migrateQueue } from "./bullmq/postgres.ts";
export type { WakeJob } from "./job.ts";
export { openQueue, type Queue, type QueueTarget } from "./open-queue.ts";
export type { OnProblem, QueueProblem } from "./problems.ts";
export { createRelay, type Relay, type RelayOptions } from "./relay.ts";
