import type { TokenUsage } from "../../ports/agent.ts";
import type { Fence, Guarded, Spent } from "../../ports/work.ts";
import { fenced, rowKey } from "./tables.ts";
import type { Tables } from "./tables.ts";

const none: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** `WorkStore.context`. */
export function context(tables: Tables, runId: string, digest: string): Uint8Array | null {
  return tables.contexts.get(rowKey(runId, digest))?.slice() ?? null;
}

/** `WorkStore.keepContext`: the first one stays (L-49). */
export function keepContext(tables: Tables, fence: Fence, digest: string, sealed: Uint8Array): Guarded {
  if (fenced(tables, fence) === null) return { kind: "stale" };
  const key = rowKey(fence.runId, digest);
  if (!tables.contexts.has(key)) tables.contexts.set(key, sealed.slice());
  return { kind: "stored" };
}

/** Adds what a step used to its run and to the loops around it. */
export function spend(tables: Tables, runId: string, spent: Spent | null | undefined): void {
  if (!spent) return;
  for (const key of [rowKey(runId), ...spent.loops.map((path) => rowKey(runId, path))]) {
    const known = tables.usage.get(key) ?? none;
    tables.usage.set(key, {
      inputTokens: known.inputTokens + spent.usage.inputTokens,
      outputTokens: known.outputTokens + spent.usage.outputTokens,
    });
  }
}

/** `WorkStore.loopTokens`. */
export function loopTokens(tables: Tables, runId: string, path: string): number {
  const { inputTokens, outputTokens } = usageOf(tables, runId, path);
  return inputTokens + outputTokens;
}

/** Tokens of a run, or of one of its loops. */
export function usageOf(tables: Tables, runId: string, path?: string): TokenUsage {
  return tables.usage.get(path === undefined ? rowKey(runId) : rowKey(runId, path)) ?? none;
}
