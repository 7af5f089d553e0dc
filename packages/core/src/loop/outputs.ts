import { quote } from "../json/strings.ts";
import { arrayText, objectText } from "../json/write.ts";
import type { Checkpoint, HistoryEntry } from "./checkpoint.ts";

/** A history entry as JSON text, fields in the order of L-34. */
export function historyEntryText(entry: HistoryEntry): string {
  return objectText([
    ["iteration", String(entry.iteration)],
    ["decision", quote(entry.decision)],
    ["summary", quote(entry.summary)],
    ["elapsedMs", String(entry.elapsedMs)],
    ["idempotencyKey", quote(entry.idempotencyKey)],
    ...(entry.error ? ([["error", JSON.stringify(entry.error)]] as const) : []),
  ]);
}

/** One tolerated error of a loop as JSON text (O-6). */
function errorText({ iteration, error }: HistoryEntry): string {
  return objectText([
    ["iteration", String(iteration)],
    ["code", quote(error?.code ?? "")],
    ["message", quote(error?.message ?? "")],
  ]);
}

/** The output slots of a loop (section 1.2, O-6). State goes out exactly as stored (L-46). */
export function loopOutputs(
  checkpoint: Checkpoint,
  history: readonly HistoryEntry[],
): ReadonlyMap<string, string> {
  const iterations = String(checkpoint.nextIteration - 1);
  const completed = checkpoint.decision === "done";
  // A loop that stopped at its limit after a resume was last told to wait; it went on (O-4).
  const stopped = checkpoint.status === "done" && !completed && checkpoint.decision !== null;
  const decision = stopped ? "continue" : (checkpoint.decision ?? "");
  const historyText = arrayText(history.map(historyEntryText));
  const result = objectText([
    ["decision", quote(decision)],
    ["iterations", iterations],
    ["state", checkpoint.state],
    ["summary", quote(checkpoint.summary)],
    ["history", historyText],
  ]);
  return new Map([
    ["result", result],
    ["state", checkpoint.state],
    ["decision", decision],
    ["iterations", iterations],
    ["summary", checkpoint.summary],
    ["history", historyText],
    ["checkpointFingerprint", checkpoint.fingerprint],
    ["completed", String(completed)],
    ["succeeded", String(checkpoint.succeeded)],
    ["failed", String(checkpoint.failed)],
    ["errors", arrayText(history.filter(({ error }) => error !== undefined).map(errorText))],
  ]);
}
