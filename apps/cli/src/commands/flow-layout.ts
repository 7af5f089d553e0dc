import { defaultRegistry } from "@agentflow/core";
import { layoutFlow, parseFlow } from "@agentflow/dsl";
import { readConfigOrFail } from "../configuration.ts";
import { say, sayJson } from "../console/out.ts";
import { EXIT } from "../exit.ts";
import { showFindings } from "../flow/findings.ts";
import { layoutText, writeLayout } from "../flow/layout-file.ts";
import { readFolder } from "../flow/read-folder.ts";
import { takeApart } from "../flow/submission.ts";
import { lintFolder } from "./flow.ts";

/**
 * Places the nodes of a flow folder that have no place yet, or all of them, in workspace.layout.json (F-20). Lint errors
 * refuse it, and nothing is written; neither is it when the file says the same already.
 */
export async function layoutCommand(
  dir: string,
  { all = false, json = false }: { all?: boolean; json?: boolean },
): Promise<void> {
  const folder = takeApart(await readFolder(dir));
  const found = lintFolder(folder, readConfigOrFail("lint"));
  if (found.errors.length > 0) {
    showFindings(found, json);
    process.exitCode = EXIT.failed;
    return;
  }
  const paths = new Set(folder.files.map(({ path }) => path));
  const { ir } = parseFlow({ text: folder.source, files: paths });
  if (ir === null) throw new Error("a flow without findings has no IR");
  const kept = folder.layout ?? { nodes: {} };
  const { layout, placed, removed } = layoutFlow(ir, defaultRegistry, { kept, all });
  if (placed.length + removed.length > 0 && layoutText(layout) !== layoutText(kept))
    await writeLayout(dir, layout);
  if (json) return sayJson({ placed, removed, layout });
  const left = Object.keys(layout.nodes).length - placed.length;
  say(`${placed.length} placed, ${left} kept, ${removed.length} removed`);
}
