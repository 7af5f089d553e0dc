// Prints the state the import begins with. Settings and header are checked before anything is imported.
import { existsSync } from "node:fs";
import { COLUMNS } from "./contact.mjs";
import { readRecord } from "./csv.mjs";
import { flowFile, readInputs } from "./inputs.mjs";

/** With more problems in one batch, the question would be longer than a summary may be. */
const LARGEST_BATCH = 20;

const { contacts, batchSize } = readInputs();

if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > LARGEST_BATCH)
  refuse(`batchSize must be a whole number from 1 to ${LARGEST_BATCH}`);
if (!existsSync(flowFile(contacts))) refuse(`the flow folder has no file ${contacts}`);

const header = readRecord(flowFile(contacts), 0, 1);
const columns = header?.fields.map(({ text }) => text.toLowerCase()) ?? [];
const missing = COLUMNS.filter((column) => !columns.includes(column));
if (missing.length > 0) refuse(`${contacts} has no column ${missing.join(", ")}`);

const state = {
  phase: "read",
  file: contacts,
  batchSize,
  columns,
  cursor: header.next,
  line: header.nextLine,
  records: 0,
  imported: 0,
  duplicates: 0,
  fixed: 0,
  repaired: 0,
  skipped: [],
  countries: {},
  checksum: "",
  seen: [],
  batch: [],
  complaint: null,
};
process.stdout.write(JSON.stringify(state));

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
