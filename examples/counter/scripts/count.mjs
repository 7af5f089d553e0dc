// Prints the next state: one more than before, and in which iteration that was. Before the first one there is no state.
import { readFileSync } from "node:fs";

const { state, iteration } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
const before = state ?? { count: 0, counted: [] };
console.log(JSON.stringify({ count: before.count + 1, counted: [...before.counted, Number(iteration)] }));
