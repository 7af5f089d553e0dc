import { objectText, scan, utf8Length } from "@agentflow/core";
import type { JsonKind } from "@agentflow/core";

/** What the payload editor says about its text. */
export type PayloadCheck =
  | { readonly kind: "empty" }
  | { readonly kind: "valid"; readonly type: JsonKind; readonly bytes: number }
  | { readonly kind: "broken"; readonly message: string };

const MAX_PAYLOAD_BYTES = 1_048_576;

/** Holds a payload to the server's JSON policy (L-45, L-46); white space alone is no payload. */
export function checkPayload(text: string): PayloadCheck {
  if (text.trim() === "") return { kind: "empty" };
  const found = scan(text, { maxBytes: MAX_PAYLOAD_BYTES });
  if (!found.ok) return { kind: "broken", message: found.error.message };
  return { kind: "valid", type: found.kind, bytes: utf8Length(text) };
}

/** The exact body of a resume call: the payload's text stands in it as it was typed. */
export function resumeBody(payloadText: string, nextIteration: number | null): string {
  const fields: [string, string][] = [];
  if (nextIteration !== null) fields.push(["nextIteration", String(nextIteration)]);
  if (payloadText.trim() !== "") fields.push(["payload", payloadText]);
  return objectText(fields);
}

/** The same call as a command for a POSIX shell. */
export function curlText(origin: string, method: "GET" | "POST", path: string, body?: string): string {
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method]), shellWord(origin + path)];
  if (body !== undefined) parts.push("-H", "'content-type: application/json'", "-d", shellWord(body));
  return parts.join(" ");
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A key that is no call's but one form's; `randomUUID` is missing on plain http. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
