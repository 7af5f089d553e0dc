import type { SessionAnswer } from "@agentflow/contract";
declare const RANK: {
    readonly read: 0;
    readonly run: 1;
    readonly admin: 2;
};
export type Scope = keyof typeof RANK;
/** Whether a session may do what needs a scope; without keys everybody at this machine may. */
export declare function may(session: SessionAnswer | undefined, wanted: Scope): boolean;
export {};
