import { error } from "./report.ts";
import type { Draft } from "./report.ts";
import type { Survey } from "./survey.ts";

/** Files that a flow names: inside the bundle and, where that can be asked, there (D04, F-23). */
export function* fileFindings(
  survey: Survey,
  hasFile: ((path: string) => boolean) | undefined,
): Generator<Draft> {
  for (const { id, node } of survey.nodes.values()) {
    const files = [
      ["script", node.scriptRef],
      ["body", node.bodyRef],
      ...Object.entries(node.pins).map(([slot, pin]) => [slot, "file" in pin ? pin.file : null] as const),
    ] as const;
    for (const [field, path] of files) {
      if (path === null) continue;
      if (!staysInside(path))
        yield error(
          "D04",
          id,
          field,
          `\`${id}\` names the file ${JSON.stringify(path)}, which is no relative path inside the flow folder. Use one, with / between folders and without . or ...`,
        );
      else if (hasFile && !hasFile(path))
        yield error(
          "D04",
          id,
          field,
          `\`${id}\` names the file ${JSON.stringify(path)}, which is not in the flow folder. Add it or correct the path.`,
        );
    }
  }
}

/** Whether a path is relative and stays below the folder it is relative to, on any system. */
export function staysInside(path: string): boolean {
  if (/[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}
