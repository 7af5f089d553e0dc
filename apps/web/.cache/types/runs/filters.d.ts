/** The filter of the runs page; every part of it is in the address, so that it can be shared (K-1). */
export declare function Filters(): import("react").JSX.Element;
/** Opens a run by its whole id. */
export declare function GoTo(): import("react").JSX.Element;
