// Prints the final state as Markdown.
import { readFileSync } from "node:fs";

const { state } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
console.log(`# ${state.cursor} records

- valid: ${state.valid.join(", ") || "none"}
- invalid: ${state.invalid.map(({ id, reason }) => `${id} (${reason})`).join(", ") || "none"}`);
