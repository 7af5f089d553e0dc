import type { PayloadCheck } from "./requests.ts";
export type ResumeTarget = {
    readonly id: string;
    readonly nextIteration: number | null;
};
/** Resumes a parked run; what was typed is sent as exactly that text. */
export declare function ResumeDialog(props: {
    readonly target: ResumeTarget;
    readonly open: boolean;
    readonly onClose: () => void;
}): import("react").JSX.Element;
/** The payload editor with its button, in a dialog or in place. */
export declare function ResumeForm({ target, onDone, }: {
    readonly target: ResumeTarget;
    readonly onDone?: () => void;
}): import("react").JSX.Element;
/** A text area for JSON with its verdict below. */
export declare function PayloadField(props: {
    readonly value: string;
    readonly onChange: (text: string) => void;
    readonly check: PayloadCheck;
    readonly label?: string;
}): import("react").JSX.Element;
