/** A time in the viewer's zone, with UTC on hover (K-6); `relative` shows how long ago instead. */
export declare function Time({ at, relative }: {
    readonly at: string | null;
    readonly relative?: boolean;
}): import("react").JSX.Element;
/** From one time to another, or until now while it has no end. */
export declare function Span({ from, to }: {
    readonly from: string | null;
    readonly to: string | null;
}): import("react").JSX.Element;
