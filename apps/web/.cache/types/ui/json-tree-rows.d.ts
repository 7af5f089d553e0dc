import type { JsonRow } from "./json-rows.ts";
type RowsProps = {
    readonly rows: readonly JsonRow[];
    readonly shown: readonly number[];
    readonly found: ReadonlySet<number> | null;
    readonly flip: (index: number) => void;
};
/** The rows in view of a tree, driven by the keys of the ARIA tree pattern. */
export declare function TreeRows({ rows, shown, found, flip }: RowsProps): import("react").JSX.Element;
export {};
