/** SHA-256 of a text's UTF-8 bytes, as 64 lower-case hex digits. Injected: core does no hashing of its own. */
export type Sha256 = (text: string) => string;

/** What identifies one iteration for its whole life: every attempt of it shares these (L-14). */
export type IterationIdentity = {
  readonly runId: string;
  /** `loopKey` of the loop. */
  readonly path: string;
  readonly epoch: number;
  readonly fingerprint: string;
  readonly iteration: number;
};

/** `afw_` and 32 hex digits, the same for every attempt, worker and resume of one iteration and of no other (L-14). */
export function idempotencyKey(sha256: Sha256, identity: IterationIdentity): string {
  const { runId, path, epoch, fingerprint, iteration } = identity;
  return `afw_${sha256([runId, path, epoch, fingerprint, iteration].join("\0")).slice(0, 32)}`;
}
