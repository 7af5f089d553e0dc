// Condition: looks at the state and answers with one word.
import { readFileSync } from "node:fs";

const { state } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
if (!Array.isArray(state?.records) || !Number.isInteger(state.cursor)) console.log("fail");
else console.log(state.cursor < state.records.length ? "continue" : "done");
