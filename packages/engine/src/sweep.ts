import type { Wake, WorkStore } from "./ports/work.ts";

/** One sweep (S-9): finds live runs that are due and held by nobody, and wakes them again. Returns how many it found. */
export async function sweep(
  deps: { readonly store: Pick<WorkStore, "sweep">; readonly relay: { wake(wake: Wake): void } },
  limit = 200,
): Promise<number> {
  const wakes = await deps.store.sweep(limit);
  for (const wake of wakes) deps.relay.wake(wake);
  return wakes.length;
}
