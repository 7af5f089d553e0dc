import type { RunAnswer } from "@agentflow/contract";
/** What display nodes showed, as text: nothing of it is ever markup (S-21). */
export declare function Outputs({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element[] | import("react").JSX.Element;
/** The inputs as they were given, spelling and order kept (L-46). */
export declare function Inputs({ text }: {
    readonly text: string;
}): import("react").JSX.Element;
