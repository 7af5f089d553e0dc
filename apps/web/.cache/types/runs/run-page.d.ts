/** One run: what it does now, its loops and what they did, and what can be done with it (K-2). */
export declare function RunPage(): import("react").JSX.Element;
