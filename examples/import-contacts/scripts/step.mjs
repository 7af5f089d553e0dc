// One iteration: takes one record over, or applies what a human decided. Prints the next state, whole.
import { createHash } from "node:crypto";
import { readAnswer } from "./answer.mjs";
import { readContact } from "./contact.mjs";
import { readRecord } from "./csv.mjs";
import { flowFile, readInputs } from "./inputs.mjs";
import { send } from "./target.mjs";

/** Enough to tell a few hundred addresses apart. */
const HASH_DIGITS = 8;
const FOUND_MAX_LENGTH = 60;

const { state, resume, idempotencyKey } = readInputs();
const next = state.phase === "ask" ? applyAnswer(state, resume) : readNext(state);
process.stdout.write(JSON.stringify(next));

function readNext(before) {
  const read = readRecord(flowFile(before.file), before.cursor, before.line);
  if (read === null) return before.batch.length > 0 ? { ...before, phase: "ask" } : summed(before);
  const record = before.records + 1;
  const after = { ...before, cursor: read.next, line: read.nextLine, records: record };
  const taken = take(after, record, read, {});
  if (taken.problems === undefined) return taken.state;
  const batch = [...before.batch, { record, line: read.line, at: read.at, problems: taken.problems }];
  return { ...after, batch, phase: batch.length < before.batchSize ? "read" : "ask" };
}

/** Every record of the batch is taken over, skipped on purpose or asked about again. */
function applyAnswer(before, payload) {
  const answer = readAnswer(payload, before.batch, before.columns);
  if (answer.complaint !== undefined) return { ...before, complaint: answer.complaint };
  let after = before;
  const open = [];
  for (const entry of before.batch) {
    if (answer.fixes[entry.record] !== undefined) {
      const fix = { ...entry.fix, ...answer.fixes[entry.record] };
      const read = readRecord(flowFile(before.file), entry.at, entry.line);
      const taken = take(after, entry.record, read, fix);
      if (taken.problems === undefined) after = { ...taken.state, fixed: taken.state.fixed + 1 };
      else open.push({ ...entry, fix, problems: taken.problems });
    } else if (answer.skipOthers) {
      after = { ...after, skipped: [...after.skipped, entry.record] };
    } else {
      open.push(entry);
    }
  }
  if (open.length === 0) return { ...after, phase: "read", batch: [], complaint: null };
  return { ...after, batch: open, complaint: "The answer left the records below open." };
}

/** The state with this record imported or counted as a duplicate, or the problems it has. */
function take(before, record, read, fix) {
  const broken = read.broken ?? columnProblem(before, read);
  if (broken !== null && Object.keys(fix).length === 0)
    return { problems: [{ field: "row", found: cut(read.fields[0]?.text ?? ""), reason: broken }] };
  // The fields of a broken row may be anybody's: only the ones a human wrote count.
  const own = broken === null ? textsOf(before, read) : {};
  const { contact, problems } = readContact({ ...own, ...fix });
  if (problems !== undefined)
    return { problems: problems.map((problem) => ({ ...problem, found: cut(problem.found) })) };

  const hash = sha256(contact.email).slice(0, HASH_DIGITS);
  if (before.seen.includes(hash)) return { state: { ...before, duplicates: before.duplicates + 1 } };
  // One answer may send several records: each has a key of its own, and the same one whenever it is sent again.
  send(contact, `${idempotencyKey}_${record}`);
  const country = contact.country ?? "unknown";
  return {
    state: {
      ...before,
      imported: before.imported + 1,
      repaired: before.repaired + (read.fields.some(({ repaired }) => repaired) ? 1 : 0),
      countries: { ...before.countries, [country]: (before.countries[country] ?? 0) + 1 },
      checksum: sha256(before.checksum + JSON.stringify(contact)).slice(0, 16),
      seen: [...before.seen, hash],
    },
  };
}

function columnProblem({ columns }, { fields }) {
  if (fields.length === columns.length) return null;
  return `it has ${fields.length} fields and not ${columns.length}`;
}

function textsOf({ columns }, { fields }) {
  return Object.fromEntries(columns.map((column, index) => [column, fields[index].text]));
}

/** Only what somebody wants to know afterwards. */
function summed({ file, records, imported, duplicates, fixed, repaired, skipped, countries, checksum }) {
  return {
    phase: "done",
    file,
    records,
    imported,
    duplicates,
    fixed,
    repaired,
    skipped,
    countries,
    checksum,
  };
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

function cut(text) {
  const characters = [...text];
  return characters.length > FOUND_MAX_LENGTH ? `${characters.slice(0, FOUND_MAX_LENGTH).join("")}…` : text;
}
