/** One version of a flow: what it takes and shows, its source with lint's findings, and the way to its runs. */
export declare function FlowPage(): import("react").JSX.Element;
