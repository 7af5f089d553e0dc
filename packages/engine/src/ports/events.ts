import type { RunEvent } from "./work.ts";

/** An event as stored: `seq` rises by 1 per run, from 1 and without gaps (L-50); `at` is UTC. */
export type StoredEvent = RunEvent & { readonly seq: number; readonly at: string };

/** Where a run's events stand. `newest` is the number of the last one; an `ended` run gets no further ones unless it is reset. */
export type EventHead = { readonly newest: number; readonly ended: boolean };

/** Events in order; with `newest` above the last item's number there is more to read. */
export type EventPage = EventHead & { readonly items: readonly StoredEvent[] };
