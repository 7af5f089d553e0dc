import type { Wake } from "./work.ts";

/** Puts wakes on the queue. Never trusted: Postgres decides, the sweep repairs (S-5, S-10). */
export interface WakeProducer {
  /** Adds the wakes; rejects within a deadline of 1.5 s when the queue is away. Adding the same wake twice is one job. */
  add(wakes: readonly Wake[]): Promise<void>;
}
