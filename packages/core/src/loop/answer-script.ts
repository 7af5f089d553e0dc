import { failure, type Failure } from "../errors.ts";
import { decodeUtf8Strict, utf8Length } from "../json/bytes.ts";
import { excerpt, headOf, tailOf } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan, type ScanError } from "../json/scan.ts";
import { decodeString, quote } from "../json/strings.ts";
import { STATE_MAX_BYTES } from "../limits.ts";
import { summaryFailure } from "./answer-summary.ts";
import { isDecision } from "./answer-decision.ts";
import type { Decision } from "./checkpoint.ts";

export interface ScriptAnswer {
  readonly decision: Decision;
  /** Exact compact JSON text: the answer's, or the previous state when it gave none. */
  readonly state: string;
  readonly summary: string;
}

export type ScriptResult =
  | { readonly ok: true; readonly answer: ScriptAnswer }
  | { readonly ok: false; readonly failure: Failure };

const FIELDS = ["decision", "state", "summary"];
/** Names of unknown fields shown in one message; a hostile script could make a million. */
const SHOWN_FIELDS = 100;
const JSON_SPACE = /^[ \t\r\n]*/;

/**
 * The answer on a script's stdout, complete and within its limit (L-25): strict UTF-8, exactly one JSON object under
 * the policy with no field but decision, state and summary (L-26, L-27, L-30, L-45). An absent state keeps
 * `previousState`; `null` replaces it.
 */
export function readScriptAnswer(stdout: Uint8Array, previousState: string): ScriptResult {
  const text = decodeUtf8Strict(stdout);
  if (text === null) return refused(failure("stdout_not_utf8", "stdout is not valid UTF-8"));
  // The object around the state is one level of nesting that is not the state's.
  const scanned = scan(text, { envelope: 1 });
  if (!scanned.ok) return refused(stdoutFailure(text, scanned.error));
  if (scanned.kind !== "object") return refused(notOneObject(text, `it is ${named(scanned.kind)}`));

  const fields = members(scanned.text);
  const unknown = [...fields.keys()].filter((field) => !FIELDS.includes(field));
  if (unknown.length > 0) return refused(unknownFields(unknown));

  const decision = readDecision(fields.get("decision"));
  if (typeof decision !== "string") return refused(decision);
  const summary = readSummary(fields.get("summary"));
  if (typeof summary !== "string") return refused(summary);
  const state = fields.get("state");
  const tooLarge = state === undefined ? null : sizeFailure(state);
  if (tooLarge !== null) return refused(tooLarge);
  return { ok: true, answer: { decision, state: state ?? previousState, summary } };
}

function refused(reason: Failure): ScriptResult {
  return { ok: false, failure: reason };
}

/** Broken syntax, or a policy error in what is no object anyway, is about stdout; else the policy's own code tells more. */
function stdoutFailure(text: string, error: ScanError): Failure {
  const start = JSON_SPACE.exec(text)?.[0].length ?? 0;
  if (start === text.length) return notOneObject(text, "it is empty");
  if (error.code === "json_syntax" || text[start] !== "{") return notOneObject(text, error.message);
  return failure(error.code, `stdout: ${error.message}`, {
    path: error.path,
    position: error.position,
  });
}

function notOneObject(text: string, reason: string): Failure {
  const start = quote(headOf(text, 80));
  const end = quote(tailOf(text, 80));
  const shown = text.length > 80 ? `starts with ${start} and ends with ${end}` : `was ${start}`;
  return failure(
    "stdout_not_json_object",
    `stdout must be exactly one JSON object, but ${reason}; it ${shown}; logs belong on stderr`,
  );
}

function named(kind: string): string {
  if (kind === "null") return "null";
  return kind === "array" ? "an array" : `a ${kind}`;
}

function unknownFields(unknown: readonly string[]): Failure {
  const names = unknown.slice(0, SHOWN_FIELDS).map((field) => excerpt(field, 80));
  const more = unknown.length > SHOWN_FIELDS ? ` and ${unknown.length - SHOWN_FIELDS} more` : "";
  return failure(
    "stdout_unknown_field",
    `unknown fields on stdout: ${names.join(", ")}${more}; only decision, state and summary are known`,
    { count: unknown.length },
  );
}

function readDecision(raw: string | undefined): Decision | Failure {
  const wanted = "must be exactly one of continue, wait, done, fail";
  if (raw === undefined) return failure("decision_invalid", `decision is missing; it ${wanted}`);
  const decision = raw.startsWith('"') ? decodeString(raw) : "";
  if (isDecision(decision)) return decision;
  const given = raw.startsWith('"') ? excerpt(decision, 60) : `not text but ${excerpt(raw, 60)}`;
  return failure("decision_invalid", `decision is ${given}; it ${wanted}`);
}

function readSummary(raw: string | undefined): string | Failure {
  if (raw === undefined || raw === "null") return "";
  if (!raw.startsWith('"')) {
    return failure("summary_invalid", `summary is not text but ${excerpt(raw, 60)}`);
  }
  const summary = decodeString(raw);
  return summaryFailure(summary) ?? summary;
}

function sizeFailure(state: string): Failure | null {
  const bytes = utf8Length(state);
  if (bytes <= STATE_MAX_BYTES) return null;
  return failure("state_too_large", `state is ${bytes} bytes, more than the limit of ${STATE_MAX_BYTES}`);
}
