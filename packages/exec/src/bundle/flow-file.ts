import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { bundlePathProblem, type Interpreter, interpreterFor } from "@agentflow/engine";

export type FlowFile =
  /** Absolute path without links, and the program that runs it (F-23). */
  | { readonly kind: "found"; readonly path: string; readonly interpreter: Interpreter }
  | { readonly kind: "refused"; readonly message: string };

/** Resolves a `scriptRef` or `file("…")` inside a flow folder; what is missing, no file, or leads out of the folder is refused (F-23, S-20). */
export async function findFlowFile(flowDir: string, ref: string): Promise<FlowFile> {
  const refused = (why: string): FlowFile => ({
    kind: "refused",
    message: `The file ${JSON.stringify(ref)} cannot be used: ${why}.`,
  });
  const problem = bundlePathProblem(ref);
  if (problem !== null) return refused(problem);
  try {
    const root = await realpath(flowDir);
    const path = await realpath(join(root, ref));
    if (!path.startsWith(root + sep)) return refused("it leads out of the flow folder");
    if (!(await stat(path)).isFile()) return refused("it is no file");
    return { kind: "found", path, interpreter: interpreterFor(ref) };
  } catch {
    return refused("it does not exist in the flow folder");
  }
}
