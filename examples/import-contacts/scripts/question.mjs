// The question a waiting run asks, as its summary.
import { readInputs } from "./inputs.mjs";

const { state } = readInputs();
const { batch, complaint } = state;

const lines = batch.map(
  ({ record, line, problems }) => `- record ${record} (line ${line}): ${problems.map(sentence).join("; ")}`,
);
const [first] = batch;
const { field } = first.problems[0];
const example = JSON.stringify({ fix: { [first.record]: { [field === "row" ? "name" : field]: "…" } } });
const text = [
  ...(complaint === null ? [] : [complaint]),
  `${batch.length} ${batch.length === 1 ? "record needs" : "records need"} a decision after ${state.records} records read:`,
  ...lines,
  `Resume with ${example} to correct records, {"accept":"skip"} to leave out the others, or both in one object.`,
].join("\n");
process.stdout.write(fit(text));

function sentence({ field, found, reason }) {
  return found === "" ? `${field}: ${reason}` : `${field} ${JSON.stringify(found)} ${reason}`;
}

/** A summary may have 4000 UTF-16 units; twenty records with several problems each could have more. */
function fit(whole) {
  return whole.length <= 4000 ? whole : `${whole.slice(0, 3900).toWellFormed()}…`;
}
