import { isCatalogueId, isWorkspaceAccess, readIds, workspaceAccesses } from "../../context/references.ts";
import { PASSWORD } from "../../nodes/provide.ts";
import { authoredText } from "../authored.ts";
import { ownEntry } from "../ir.ts";
import { inputNodeType } from "../slots.ts";
import { error } from "./report.ts";
import type { Draft } from "./report.ts";
import { isGiven } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** What may hold a secret: processes of the flow, which get it privately. */
const SECRET_TAKERS: ReadonlySet<string> = new Set(["tool.nodejs", "tool.function"]);

/** Contexts and secrets: nodes that name catalogue entries (D51 to D54), and ways their outputs must not take (L-48, F-24). */
export function* resourceFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    switch (node.definition?.type) {
      case "context.knowledge":
      case "context.skills":
      case "context.mcp":
        yield* ofIds(survey, node);
        break;
      case "context.workspace":
        yield* ofWorkspace(survey, node);
        break;
      case "context.bundle":
        yield* ofBundle(node);
        break;
      case PASSWORD:
        yield* ofSecret(survey, node);
    }
  }
  yield* crossings(survey);
}

/** What a slot says as far as the flow itself tells; null when only a run can. */
function written({ ir, registry }: Survey, node: SurveyedNode, slot: string): string | null {
  if (!isGiven(node, slot)) return "";
  return authoredText(ir, registry, { node: node.id, slot }, node.into.get(slot)?.[0]?.from);
}

function* ofIds(survey: Survey, node: SurveyedNode): Generator<Draft> {
  const ids = written(survey, node, "ids");
  if (ids === null || readIds(ids) !== null) return;
  yield error(
    "D51",
    node.id,
    "ids",
    `\`${node.id}\` needs ids of the operator's catalogue, each once: letters, digits, dots, hyphens, underscores. Write ids: ["one", "two"].`,
  );
}

function* ofWorkspace(survey: Survey, node: SurveyedNode): Generator<Draft> {
  const id = written(survey, node, "workspace")?.trim();
  if (id !== undefined && !isCatalogueId(id)) {
    const what =
      id === "" ? "names no workspace" : `names the workspace ${JSON.stringify(id)}, which is no id`;
    yield error("D52", node.id, "workspace", `\`${node.id}\` ${what}. Write the id of one in the catalogue.`);
  }
  const access = written(survey, node, "access")?.trim();
  if (access === undefined || access === "" || isWorkspaceAccess(access)) return;
  yield error(
    "D53",
    node.id,
    "access",
    `\`${node.id}\` asks for the unknown access ${JSON.stringify(access)}. Write ${workspaceAccesses.join(" or ")}.`,
  );
}

function* ofBundle(node: SurveyedNode): Generator<Draft> {
  if (Object.keys(node.definition?.inputs ?? {}).some((slot) => isGiven(node, slot))) return;
  yield error(
    "D54",
    node.id,
    null,
    `\`${node.id}\` bundles nothing. Wire knowledge, skills, a workspace or mcp to it, or leave it out.`,
  );
}

/** A secret goes straight from its node to a command of the same graph: nothing else may hold even its name as a value. */
function* ofSecret({ nodes }: Survey, secret: SurveyedNode): Generator<Draft> {
  for (const { to } of secret.outOf) {
    const target = nodes.get(to.node);
    if (!target?.definition || SECRET_TAKERS.has(target.definition.type)) continue;
    yield error(
      "D13",
      to.node,
      to.slot,
      `\`${secret.id}.value\` is a secret, which only a tool.nodejs or a tool.function gets, wired to it directly. Put a ${PASSWORD} beside the node that needs it.`,
    );
  }
}

/** A context hidden in an input of any type would cross into a subflow unseen (L-48). */
function* crossings({ ir, nodes, typeOf }: Survey): Generator<Draft> {
  for (const { from, to } of ir.edges) {
    const target = nodes.get(to.node);
    const called = target?.node.definition === "flow.call" ? target.node.attributes["subflow"] : undefined;
    const receiver =
      called === undefined ? undefined : ownEntry(ownEntry(ir.subflows, called)?.inputs ?? {}, to.slot);
    if (receiver === undefined || inputNodeType(ir, receiver) !== "any" || typeOf(from) !== "context")
      continue;
    yield error(
      "D13",
      to.node,
      to.slot,
      `\`${from.node}.${from.slot}\` is a context, which enters a subflow only through flow.input("context", "context"). Declare that input.`,
    );
  }
}
