import type { Claim, StoredCheckpoint } from "./ports/work.ts";

type Kept = { readonly token: number; readonly stored: StoredCheckpoint; readonly ahead: Claim | null };

/** Checkpoints this worker stored last, so that the next iteration on the same worker need not read its state again. */
export interface RecentCheckpoints {
  /** Keeps what a commit stored under the token it left behind, and the claim on the next iteration if it needs none stored. */
  keep(runId: string, token: number, stored: StoredCheckpoint, ahead: Claim | null): void;
  /** The claim kept with the commit that left this token behind; null when there is none. */
  ahead(runId: string, token: number): Claim | null;
  /** The loop whose commit left this token behind; null when it is not kept. */
  path(runId: string, token: number): string | null;
  /**
   * The checkpoint of `path` if the run's token before this claim is the one our commit left behind: every other write
   * raises the token, so what we hold is what is stored. Null otherwise. Taken out either way.
   */
  take(runId: string, tokenBeforeClaim: number, path: string): StoredCheckpoint | null;
}

/** Keeps at most `maxUnits` UTF-16 units of state text; the longest unused go first. */
export function createRecentCheckpoints(maxUnits: number): RecentCheckpoints {
  const kept = new Map<string, Kept>();
  let units = 0;
  const remove = (runId: string): Kept | undefined => {
    const found = kept.get(runId);
    if (found) {
      kept.delete(runId);
      units -= found.stored.checkpoint.state.length;
    }
    return found;
  };
  return {
    keep: (runId, token, stored, ahead) => {
      remove(runId);
      kept.set(runId, { token, stored, ahead });
      units += stored.checkpoint.state.length;
      for (const oldest of kept.keys()) {
        if (units <= maxUnits) break;
        remove(oldest);
      }
    },
    ahead: (runId, token) => {
      const found = kept.get(runId);
      return found?.token === token ? found.ahead : null;
    },
    path: (runId, token) => {
      const found = kept.get(runId);
      return found?.token === token ? found.stored.path : null;
    },
    take: (runId, tokenBeforeClaim, path) => {
      const found = remove(runId);
      return found?.token === tokenBeforeClaim && found.stored.path === path ? found.stored : null;
    },
  };
}
