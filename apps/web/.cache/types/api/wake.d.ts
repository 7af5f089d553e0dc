import type { QueryClient } from "@tanstack/react-query";
/**
 * Fetches everything on show again after a gap: back on line, a machine that slept, a tab that was frozen (K-5). What was under
 * way is dropped, because an answer from before the gap may never come. Returns how to stop it.
 */
export declare function refetchAfterGaps(queries: QueryClient): () => void;
