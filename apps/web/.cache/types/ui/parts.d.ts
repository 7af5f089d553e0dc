import type { ReactNode } from "react";
/** Nothing to show yet, said to screen readers as well. */
export declare function Loading(): import("react").JSX.Element;
/** What went wrong, as text (S-21), and a way to try again. */
export declare function Problem({ error, retry }: {
    readonly error: unknown;
    readonly retry?: () => void;
}): import("react").JSX.Element;
/** A titled part of a page. */
export declare function Section(props: {
    readonly title: string;
    readonly id: string;
    readonly children: ReactNode;
    readonly aside?: ReactNode;
    readonly className?: string;
}): import("react").JSX.Element;
/** Copies a text and says so. */
export declare function CopyButton({ text, label, }: {
    readonly text: () => string;
    readonly label?: string;
}): import("react").JSX.Element;
/** Outside of https and localhost browsers keep the clipboard from pages; a selection still works. */
export declare function copyText(text: string): Promise<void>;
/** Saves a text as a file. */
export declare function downloadText(text: string, name: string, type: string): void;
