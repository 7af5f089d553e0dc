import type { ReactNode } from "react";
/** A dialog that holds the focus and gives it back; Escape closes it. */
export declare function Modal(props: {
    readonly open: boolean;
    readonly title: string;
    readonly onClose: () => void;
    readonly children: ReactNode;
}): import("react").JSX.Element;
