import { ApiError, createClient, ServerUnreachable } from "@agentflow/contract";
import { QueryCache, QueryClient } from "@tanstack/react-query";

/** The API this page came from; the browser adds the session's cookie by itself. */
export const client = createClient({
  url: window.location.origin,
  // An answer that does not come is given up soon, and asked for again (K-5).
  timeoutMs: 10_000,
  fetch: (address, init) => fetch(address, { ...init, credentials: "same-origin" }),
});

const FAST_RETRY_MS = 500;

/** Refusals are final; a missing answer is tried again until it comes, at most 2 s apart (K-5). */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A session that ended meanwhile shows at the first call that is refused for it.
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401)
        void queryClient.invalidateQueries({ queryKey: ["session"] });
    },
  }),
  defaultOptions: {
    queries: {
      retry: (count, error) => (error instanceof ApiError ? error.status === 503 && count < 5 : count < 5),
      retryDelay: (count) => Math.min(FAST_RETRY_MS * 2 ** count, 1500),
      refetchOnWindowFocus: "always",
      refetchOnReconnect: "always",
      staleTime: 0,
    },
    mutations: { retry: false },
  },
});

/** What the server or the line says went wrong, with its code where there is one. */
export function problemOf(error: unknown): { readonly code: string | null; readonly message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  if (error instanceof ServerUnreachable) return { code: null, message: "" };
  return { code: null, message: error instanceof Error ? error.message : String(error) };
}
