import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { jsonAsText } from "../flow/pins.ts";
import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import type { SlotValues } from "./definition.ts";

export type AgentOutputs =
  | { readonly ok: true; readonly outputs: SlotValues }
  | { readonly ok: false; readonly failure: Failure };

const FENCED = /^```[a-zA-Z]*\n([\s\S]*?)\n?```$/;
const SHOWN_UNITS = 400;

/**
 * Outputs of an agent's answer: `result` is its trimmed text; `free` outputs are members of the JSON object it must then be, alone
 * or in one code fence (F-6). Anything else is `agent_failed`, with the start and end of what came.
 */
export function readAgentAnswer(answer: string, free: readonly string[]): AgentOutputs {
  const result = answer.trim();
  if (free.length === 0) return { ok: true, outputs: new Map([["result", result]]) };
  const scanned = scan(FENCED.exec(result)?.[1] ?? result);
  if (!scanned.ok) return refused(`is no JSON object: ${scanned.error.message}`, result);
  if (scanned.kind !== "object") return refused(`is a JSON ${scanned.kind}`, result);
  const given = members(scanned.text);
  const missing = free.filter((name) => !given.has(name));
  if (missing.length > 0) return refused(`has no ${missing.join(", ")}`, result);
  const outputs = free.map((name) => [name, jsonAsText(given.get(name) ?? "")] as const);
  return { ok: true, outputs: new Map([["result", result], ...outputs]) };
}

function refused(what: string, answer: string): AgentOutputs {
  const message = `The agent's answer ${what}. It must be one JSON object with the declared outputs. It was ${excerpt(answer, SHOWN_UNITS)}.`;
  return { ok: false, failure: failure("agent_failed", message) };
}
