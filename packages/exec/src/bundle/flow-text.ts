import { readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { bundlePathProblem } from "@agentflow/engine";

/** Text of a file of the flow folder; null when it is not there, leads out of it, or is no strict UTF-8 (S-20). */
export async function readFlowText(flowDir: string, ref: string): Promise<string | null> {
  if (bundlePathProblem(ref) !== null) return null;
  try {
    const root = await realpath(flowDir);
    const path = await realpath(join(root, ref));
    if (!path.startsWith(root + sep)) return null;
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch {
    return null;
  }
}
