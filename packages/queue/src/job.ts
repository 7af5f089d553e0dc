import type { Wake } from "@agentflow/engine";

/** The whole content of a job: which run may be ready, and for which token of it (S-5). */
export type WakeJob = { readonly runId: string; readonly token: number };

/** The longest delay a timer takes; a longer one would fire at once. A wake that comes early is refused by the claim. */
const MAX_DELAY_MS = 2 ** 31 - 1;
const RUN_ID = /^[0-9A-Za-z-]{1,64}$/;

/**
 * The id of the job of one logical wake-up: adding it twice is one job, and a new token is a new job (A5–A7). It has no
 * colon and is never all digits. `again` makes another job of the same wake-up. Throws for a run id that is not letters, digits and dashes, or a token that is no count.
 */
export function jobId(runId: string, token: number, again = 0): string {
  if (!RUN_ID.test(runId)) throw new Error(`not a run id: ${JSON.stringify(runId)}`);
  if (!Number.isSafeInteger(token) || token < 0) throw new Error(`not a fencing token: ${token}`);
  return again === 0 ? `${runId}_${token}` : `${runId}_${token}_${again}`;
}

/** The delay BullMQ gets: whole ms from 0 to 24.8 days. */
export function safeDelayMs(delayMs: number): number {
  return Number.isNaN(delayMs) ? 0 : Math.min(Math.max(0, Math.ceil(delayMs)), MAX_DELAY_MS);
}

/** A wake as BullMQ wants it. */
export function toJob({ runId, token, delayMs, again }: Wake): {
  name: string;
  data: WakeJob;
  opts: { jobId: string; delay: number };
} {
  return {
    name: "wake",
    data: { runId, token },
    opts: { jobId: jobId(runId, token, again), delay: safeDelayMs(delayMs) },
  };
}

/** The content of a job, or null when it is not ours or its data was lost (B1). */
export function readJob(data: unknown): WakeJob | null {
  if (typeof data !== "object" || data === null) return null;
  const { runId, token } = data as Record<string, unknown>;
  if (typeof runId !== "string" || !RUN_ID.test(runId)) return null;
  if (typeof token !== "number" || !Number.isSafeInteger(token) || token < 0) return null;
  return { runId, token };
}
