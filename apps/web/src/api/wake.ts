import type { QueryClient } from "@tanstack/react-query";

const BEAT_MS = 1000;
/** A beat this late means that the machine slept, or that the page was frozen. */
const GAP_MS = 4000;

/**
 * Fetches everything on show again after a gap: back on line, a machine that slept, a tab that was frozen (K-5). What was under
 * way is dropped, because an answer from before the gap may never come. Returns how to stop it.
 */
export function refetchAfterGaps(queries: QueryClient): () => void {
  const refetch = () => {
    void queries.cancelQueries().then(() => queries.invalidateQueries());
  };
  let last = Date.now();
  const beat = setInterval(() => {
    const now = Date.now();
    if (now - last > GAP_MS && document.visibilityState === "visible") refetch();
    last = now;
  }, BEAT_MS);
  window.addEventListener("online", refetch);
  window.addEventListener("pageshow", refetch);
  return () => {
    clearInterval(beat);
    window.removeEventListener("online", refetch);
    window.removeEventListener("pageshow", refetch);
  };
}
