import type { JsonKind } from "@agentflow/core";
/** One value of a JSON text, in the text's order; containers stand before their members. */
export type JsonRow = {
    readonly depth: number;
    /** Decoded key, index, or null at the top. */
    readonly key: string | null;
    readonly kind: JsonKind;
    /** Exact text of a scalar; empty for containers, whose text is between `start` and `end`. */
    readonly text: string;
    readonly start: number;
    end: number;
    /** Number of direct members of a container. */
    members: number;
    /** Index of the first row after this value and all inside it. */
    after: number;
};
/** All values of a JSON text, numbers spelled as they stand there (L-46); null when it is not one JSON value. */
export declare function jsonRows(text: string): JsonRow[] | null;
/** Indexes of the rows on show: everything but what lies inside a collapsed container. */
export declare function visibleRows(rows: readonly JsonRow[], collapsed: (index: number) => boolean): number[];
/** Rows whose key or scalar holds the text, whatever the case, and the containers they lie in. */
export declare function findRows(rows: readonly JsonRow[], wanted: string): {
    readonly found: ReadonlySet<number>;
    readonly shown: readonly number[];
};
/** A scalar for people: texts decoded, everything else as it is spelled. */
export declare function scalarText({ kind, text }: Pick<JsonRow, "kind" | "text">): string;
