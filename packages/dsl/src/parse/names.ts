import { commandConstants, isIdentifier } from "@agentflow/core";

/** Where the names of the language may be imported from (F-4). */
export const LANGUAGE_MODULE = "agentflow/flow";

/** Names that are known without an import and cannot be declared anew (F-4). */
export const languageNames: ReadonlySet<string> = new Set([
  "flow",
  "agent",
  "tool",
  "control",
  "provide",
  "display",
  "context",
  "file",
  "action",
  "prompt",
  "subAgent",
]);

/** Placeholders of every script and prompt besides the node's own slots (F-8, F-22). */
export const placeholderConstants: ReadonlySet<string> = new Set([...commandConstants, "USER_PROMPT"]);

/** Whether a name can be a node id, a contract name or a free slot; `__proto__` is refused because records lose it. */
export function isUsableName(name: string): boolean {
  return isIdentifier(name) && name !== "__proto__";
}
