import {
  isCatalogueId,
  isWorkspaceAccess,
  mergeReferences,
  noReferences,
  readIds,
  readReferences,
  referencesText,
  workspaceAccesses,
} from "../context/references.ts";
import type { ContextReferences } from "../context/references.ts";
import { failure } from "../errors.ts";
import { defineNode, output } from "./definition.ts";
import type { NodeAnswer, NodeDefinition } from "./definition.ts";

const outputs = { context: { type: "context" } } as const;
const bundled = ["knowledge", "skills", "workspace", "mcp"] as const;

/** Names entries of one part of the operator's catalogue (2-flows 2.7). */
function listed(kind: "knowledge" | "skills" | "mcp", title: string, icon: string): NodeDefinition {
  return defineNode({
    type: `context.${kind}`,
    control: false,
    inputs: { ids: { type: "any", required: true } },
    outputs,
    card: { title, icon, tone: "green" },
    run: ({ inputs }) => {
      const ids = readIds(inputs.get("ids") ?? "");
      return ids === null
        ? invalid(`Its ids are no list of ids of the operator's catalogue. Write ids: ["one", "two"].`)
        : context({ ...noReferences, [kind]: ids });
    },
  });
}

const workspace = defineNode({
  type: "context.workspace",
  control: false,
  inputs: { workspace: { type: "text", required: true }, access: { type: "text" } },
  outputs,
  card: { title: "Workspace", icon: "folder", tone: "green" },
  run: ({ inputs }) => {
    const id = (inputs.get("workspace") ?? "").trim();
    const access = (inputs.get("access") ?? "").trim() || "read-only";
    if (!isCatalogueId(id)) return invalid("It names no workspace of the operator's catalogue.");
    return isWorkspaceAccess(access)
      ? context({ ...noReferences, workspace: { id, access } })
      : invalid(`The access is ${JSON.stringify(access)}. Write ${workspaceAccesses.join(" or ")}.`);
  },
});

const bundle = defineNode({
  type: "context.bundle",
  control: false,
  inputs: Object.fromEntries(bundled.map((slot) => [slot, { type: "context" }])),
  outputs,
  card: { title: "Resources", icon: "package", tone: "green" },
  run: ({ inputs }) => {
    const given = bundled.map((slot) => readReferences(inputs.get(slot) ?? ""));
    const parts = given.filter((part) => part !== null);
    if (parts.length < given.length) return invalid("What is wired to it is no context.");
    const merged = mergeReferences(parts);
    if (merged === null)
      return invalid("It names two workspaces, or one with two accesses. A context has one at most.");
    return referencesText(merged) === "{}"
      ? invalid("It is empty. Wire knowledge, skills, a workspace or mcp to it.")
      : context(merged);
  },
});

/** Name resources of the operator's catalogue. Their output is references; workers resolve them (L-48). */
export const contextNodes: readonly NodeDefinition[] = [
  listed("knowledge", "Knowledge", "book-open"),
  listed("skills", "Skills", "graduation-cap"),
  workspace,
  listed("mcp", "MCP servers", "plug"),
  bundle,
];

function context(references: ContextReferences): NodeAnswer {
  return output("context", referencesText(references));
}

function invalid(message: string): NodeAnswer {
  return { kind: "failed", failure: failure("config_invalid", message) };
}
