/** Runs by filter, one keyset page at a time; filter and page stand in the address (K-1). */
export declare function RunsPage(): import("react").JSX.Element;
/** Keyset pages go forward; the browser's own way back leads to the pages before. */
export declare function Pages(props: {
    readonly parameters: URLSearchParams;
    readonly nextCursor: string | null;
}): import("react").JSX.Element | null;
