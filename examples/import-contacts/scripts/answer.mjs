// Reads what a human decided about a batch: the payload of a resume.

/** Corrections are kept in the state while a record stays open, and the state is to stay small. */
const TEXT_MAX_LENGTH = 500;

/**
 * `{ fixes, skipOthers }`: texts by field by record number, and whether the other records are left out. Anything that is
 * not understood gives `{ complaint }`, and then nothing of the answer counts.
 */
export function readAnswer(payload, batch, columns) {
  if (!isObject(payload)) return wrong("There was no answer: a resume takes a payload, an object.");
  const { accept, fix, ...others } = payload;
  const unknown = Object.keys(others);
  if (unknown.length > 0) return wrong(`An answer has no ${quoted(unknown)}, only "accept" and "fix".`);
  if (accept === undefined && fix === undefined) return wrong('The answer has neither "accept" nor "fix".');
  if (accept !== undefined && accept !== "skip") return wrong('"accept" can only be "skip".');
  if (fix !== undefined && !isObject(fix)) return wrong('"fix" must be an object by record number.');
  const complaint = fixComplaint(fix ?? {}, batch, columns);
  return complaint === null ? { fixes: fix ?? {}, skipOthers: accept === "skip" } : wrong(complaint);
}

function fixComplaint(fix, batch, columns) {
  const asked = batch.map(({ record }) => String(record));
  for (const [record, texts] of Object.entries(fix)) {
    if (!asked.includes(record)) return `Record ${quoted([record])} is not one of those below.`;
    if (!isObject(texts)) return `The fix of record ${record} must be an object by field.`;
    const unknown = Object.keys(texts).filter((field) => !columns.includes(field));
    if (unknown.length > 0)
      return `Record ${record} has no field ${quoted(unknown)}; it has ${columns.join(", ")}.`;
    if (Object.keys(texts).length === 0) return `The fix of record ${record} has no field in it.`;
    if (Object.values(texts).some((text) => typeof text !== "string" || text.length > TEXT_MAX_LENGTH))
      return `The fields of record ${record} must be texts of at most ${TEXT_MAX_LENGTH} characters.`;
  }
  return null;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(complaint) {
  return { complaint };
}

/** What somebody else wrote, short enough for a sentence. */
function quoted(words) {
  return words
    .slice(0, 3)
    .map((word) => JSON.stringify(word.slice(0, 40)))
    .join(", ");
}
