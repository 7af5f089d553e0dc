import type { ReactNode } from "react";
/** A list of which only the rows in view are drawn (K-6); rows are as high as what is in them. */
export declare function VirtualList<Item>(props: {
    readonly label: string;
    readonly items: readonly Item[];
    readonly keyOf: (item: Item) => number;
    readonly draw: (item: Item) => ReactNode;
    readonly className?: string;
}): import("react").JSX.Element;
