// The final state as Markdown.
import { readInputs } from "./inputs.mjs";

const { state, iterations } = readInputs();
const { skipped } = state;

const countries = Object.entries(state.countries).sort(
  ([a, many], [b, few]) => few - many || (a < b ? -1 : 1),
);
process.stdout.write(`# Imported contacts

${state.records} records of \`${state.file}\` in ${iterations} iterations.

| | records |
| --- | ---: |
| imported | ${state.imported} |
| of these corrected by a human | ${state.fixed} |
| of these with repaired letters | ${state.repaired} |
| duplicates | ${state.duplicates} |
| left out by a human | ${skipped.length} |

${skipped.length === 0 ? "No record was left out." : `Left out: ${skipped.join(", ")}.`}

| country | contacts |
| --- | ---: |
${countries.map(([country, count]) => `| ${country} | ${count} |`).join("\n")}

Checksum of all that was imported: \`${state.checksum}\`
`);
