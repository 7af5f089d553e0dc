import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { may } from "./scope.ts";
import type { Scope } from "./scope.ts";

const SESSION_POLL_MS = 60_000;

/** Whose session this is, and whether one is needed (S-19). */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => client.getSession({ signal }),
  refetchInterval: SESSION_POLL_MS,
});

/** `may` for the viewer: actions beyond it are shown, but disabled and with the reason. */
export function useMay(wanted: Scope): boolean {
  return may(useQuery(sessionQuery).data, wanted);
}
