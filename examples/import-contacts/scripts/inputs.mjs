// What a step is given and where the flow's files are.
import { readFileSync } from "node:fs";
import { resolve, sep } from "node:path";

const flowFolder = resolve(import.meta.dirname, "..");

/** The step's inputs by slot name; json slots are values. The file has them at any size. */
export function readInputs() {
  return JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
}

/** Absolute path of a file of the flow folder; throws for one outside. */
export function flowFile(path) {
  const file = resolve(flowFolder, path);
  if (!file.startsWith(flowFolder + sep)) throw new Error(`${path} is outside the flow folder`);
  return file;
}
