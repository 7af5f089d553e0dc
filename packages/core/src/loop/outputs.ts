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

/** The output slots of a loop (section 1.2). State goes out exactly as stored (L-46). */
export function loopOutputs(
  checkpoint: Checkpoint,
  history: readonly HistoryEntry[],
): ReadonlyMap<string, string> {
  const iterations = String(checkpoint.nextIteration - 1);
  const decision = checkpoint.decision ?? "";
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
  ]);
}
