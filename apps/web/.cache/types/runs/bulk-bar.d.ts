import type { RunsQuery } from "../api/queries.ts";
import type { Selection } from "./runs-table.tsx";
/** What can be done with the selected runs, or with all that the filter matches. */
export declare function BulkBar(props: {
    readonly selected: Selection;
    readonly query: RunsQuery;
    readonly select: (selected: Selection) => void;
}): import("react").JSX.Element;
