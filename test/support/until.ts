import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

/** Waits until `look` gives something other than false, null or undefined, and returns it. Throws when it takes longer than `limitMs`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  limitMs = 60_000,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined) return seen;
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await sleep(POLL_MS);
  }
}
