// Says whether the target is reached: a real boolean, not a word.
import { readFileSync } from "node:fs";

const { state, target } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
console.log(state.count >= target);
