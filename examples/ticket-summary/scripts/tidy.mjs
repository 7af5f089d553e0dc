// Makes the analysis a text the caller can show as it is.
import { readFileSync } from "node:fs";

const { analysis } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
const { ticket, from, goal, risk, next } = JSON.parse(analysis);
console.log(`## ${ticket}: ${goal}

From ${from}. Risk: **${risk}**. Next step: ${next}.`);
