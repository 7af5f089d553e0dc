import { failure, type Failure } from "../errors.ts";
import { scan, type ScanError } from "../json/scan.ts";
import { STATE_MAX_BYTES } from "../limits.ts";

export type StateResult =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A state from JSON text under the policy (L-45) and its size limit (L-31): the exact compact text, at most 1 MiB of
 * UTF-8. Blank text is `state_invalid_json` here; what blank means is the caller's rule.
 */
export function readState(text: string): StateResult {
  const scanned = scan(text, { maxBytes: STATE_MAX_BYTES });
  if (!scanned.ok) return { ok: false, failure: stateFailure(scanned.error) };
  return { ok: true, text: scanned.text, bytes: scanned.bytes };
}

/** The initial state of a loop (L-9): blank → `null`, else as `readState`. */
export function readInitialState(text: string): StateResult {
  return text.trim() === "" ? { ok: true, text: "null", bytes: 4 } : readState(text);
}

/** A refusal of the JSON policy as the failure of a state; broken syntax is `state_invalid_json`. */
export function stateFailure(error: ScanError): Failure {
  const code = error.code === "json_syntax" ? "state_invalid_json" : error.code;
  return failure(code, `state: ${error.message}`, { path: error.path, position: error.position });
}
