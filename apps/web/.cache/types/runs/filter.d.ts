import type { RunStatusWord } from "@agentflow/contract";
import type { RunsQuery } from "../api/queries.ts";
export declare const PAGE_SIZE = 50;
/** The filter of the runs page lives in the address; unknown words in it are left out. */
export declare function queryOf(parameters: URLSearchParams): RunsQuery;
/** The statuses in the address, in their usual order. */
export declare function statusesOf(parameters: URLSearchParams): RunStatusWord[];
/** The address with one part changed, on its first page; an empty value takes the part out. */
export declare function changed(parameters: URLSearchParams, name: string, values: readonly string[]): URLSearchParams;
/** Of a time in the address for an `<input type="datetime-local">`, which is in the viewer's zone; empty when there is none. */
export declare function localInput(iso: string | null): string;
