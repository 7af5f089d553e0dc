// What a step is given and where the flow's files are.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The step's inputs by slot name; json slots are values. The file has them at any size. */
export function readInputs() {
  return JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
}

/** Absolute path of a file of the flow folder; the service takes no input that leads out of it. */
export function flowFile(path) {
  return join(import.meta.dirname, "..", path);
}
