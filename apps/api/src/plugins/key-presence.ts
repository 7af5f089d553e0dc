import { StoreUnavailable } from "@agentflow/engine";
import type { KeyStore } from "@agentflow/engine";

/** How long an answer counts: a first key is asked for within this time, and so is the last one's end noticed. */
const TRUE_MS = 5000;
const FALSE_MS = 500;

export type KeyPresence = {
  /** Whether there was a key when it was looked last. */
  readonly known: boolean;
  /** Whether there is a key, looked up at most twice a second; with the database away what was known. */
  look(): Promise<boolean>;
};

/** Knows whether there are API keys without asking for every call. */
export function createKeyPresence(keys: Pick<KeyStore, "any">, nowMs: () => number): KeyPresence {
  let known = false;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function lookUp(): Promise<void> {
    try {
      known = await keys.any();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    } finally {
      freshUntilMs = nowMs() + (known ? TRUE_MS : FALSE_MS);
      looking = null;
    }
  }

  return {
    get known() {
      return known;
    },
    look: async () => {
      if (nowMs() < freshUntilMs) return known;
      await (looking ??= lookUp());
      return known;
    },
  };
}
