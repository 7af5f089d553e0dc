import { failure, type Failure } from "../errors.ts";
import { isWellFormed } from "../json/bytes.ts";
import { SUMMARY_MAX_UNITS } from "../limits.ts";

/** Why `summary` may not be stored (L-30): too long or not storable; null when it may. It is never cut. */
export function summaryFailure(summary: string): Failure | null {
  if (summary.length > SUMMARY_MAX_UNITS) {
    return failure(
      "summary_too_long",
      `summary has ${summary.length} UTF-16 code units, more than the limit of ${SUMMARY_MAX_UNITS}`,
      { units: summary.length, limit: SUMMARY_MAX_UNITS },
    );
  }
  if (summary.includes("\0")) return failure("summary_invalid", "summary holds a NUL character");
  if (!isWellFormed(summary)) return failure("summary_invalid", "summary holds half a surrogate pair");
  return null;
}

/** The summary in a text slot as it stands; a blank slot holds no value (F-21), so it gives the empty text. */
export function slotSummary(slot: string | undefined): string {
  return slot === undefined || slot.trim() === "" ? "" : slot;
}
