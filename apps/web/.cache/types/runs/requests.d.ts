import type { JsonKind } from "@agentflow/core";
/** What the payload editor says about its text. */
export type PayloadCheck = {
    readonly kind: "empty";
} | {
    readonly kind: "valid";
    readonly type: JsonKind;
    readonly bytes: number;
} | {
    readonly kind: "broken";
    readonly message: string;
};
/** Holds a payload to the server's JSON policy (L-45, L-46); white space alone is no payload. */
export declare function checkPayload(text: string): PayloadCheck;
/** The exact body of a resume call: the payload's text stands in it as it was typed. */
export declare function resumeBody(payloadText: string, nextIteration: number | null): string;
/** The same call as a command for a POSIX shell. */
export declare function curlText(origin: string, method: "GET" | "POST", path: string, body?: string): string;
/** A key that is no call's but one form's; `randomUUID` is missing on plain http. */
export declare function newKey(): string;
