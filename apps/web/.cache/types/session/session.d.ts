import type { Scope } from "./scope.ts";
/** Whose session this is, and whether one is needed (S-19). */
export declare const sessionQuery: import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    required: boolean;
    key: {
        name: string;
        scope: "admin" | "read" | "run";
    } | null;
}, Error, {
    required: boolean;
    key: {
        name: string;
        scope: "admin" | "read" | "run";
    } | null;
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        required: boolean;
        key: {
            name: string;
            scope: "admin" | "read" | "run";
        } | null;
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    required: boolean;
    key: {
        name: string;
        scope: "admin" | "read" | "run";
    } | null;
}, Error>;
/** `may` for the viewer: actions beyond it are shown, but disabled and with the reason. */
export declare function useMay(wanted: Scope): boolean;
