import { isIdentifier, ownEntry } from "../ir.ts";
import type { IrSubflow } from "../ir.ts";
import { noSuchOutput, notInChain } from "./edges.ts";
import { missingInputs } from "./contracts.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import { hasOutput } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Subflows and the run entry: chains, members and bound contracts (D06, D12, D20 to D23, D27, D36). */
export function* subflowFindings(survey: Survey): Generator<Draft> {
  for (const [id, subflow] of Object.entries(survey.ir.subflows)) {
    const members = new Set(subflow.members);
    yield* ofMembers(survey, id, subflow, members);
    yield* ofInputs(survey, id, subflow, members);
    yield* ofOutputs(survey, id, subflow, members);
  }
  for (const node of survey.nodes.values()) {
    if (node.owners.length > 1) {
      yield error(
        "D21",
        node.id,
        null,
        `\`${node.id}\` is in several subflows: ${list(node.owners)}. Declare a node of its own for each.`,
      );
    }
  }
  yield* ofRun(survey);
  yield* unboundInputs(survey);
}

function* ofMembers(
  survey: Survey,
  id: string,
  subflow: IrSubflow,
  members: ReadonlySet<string>,
): Generator<Draft> {
  if (subflow.roots.length === 0) {
    yield error(
      "D20",
      id,
      null,
      `Subflow \`${id}\` has nothing to execute. Name at least one node in its flow(…).`,
    );
  }
  for (const member of members) {
    if (!survey.nodes.has(member))
      yield error(
        "D21",
        id,
        member,
        `Subflow \`${id}\` lists the node \`${member}\`, which does not exist. Declare it or take it out.`,
      );
  }
  for (const root of subflow.roots) {
    const node = survey.nodes.get(root);
    if (!members.has(root))
      yield error(
        "D21",
        id,
        root,
        `Subflow \`${id}\` begins with \`${root}\`, which is not one of its members. Add it to the members or begin with another node.`,
      );
    else if (node?.definition && !node.definition.control) yield notInChain(node);
  }
}

function* ofInputs(
  survey: Survey,
  id: string,
  subflow: IrSubflow,
  members: ReadonlySet<string>,
): Generator<Draft> {
  const bound = new Map<string, string>();
  for (const [name, receiver] of Object.entries(subflow.inputs)) {
    const node = survey.nodes.get(receiver);
    const earlier = bound.get(receiver);
    bound.set(receiver, name);
    if (!isIdentifier(name)) yield notAnIdentifier(id, "input", name);
    if (!node || !members.has(receiver) || (node.definition && node.definition.type !== "flow.input")) {
      yield error(
        "D22",
        id,
        name,
        `Input \`${name}\` of subflow \`${id}\` is bound to \`${receiver}\`, which is no flow.input of it. Bind it to flow.input("${name}", …).`,
      );
    } else if (earlier !== undefined) {
      yield error(
        "D22",
        id,
        name,
        `Inputs \`${earlier}\` and \`${name}\` of subflow \`${id}\` share the flow.input \`${receiver}\`. Declare one for each.`,
      );
    } else {
      yield* ofBoundInput(id, name, node);
    }
  }
}

function* ofBoundInput(id: string, name: string, { id: receiver, node }: SurveyedNode): Generator<Draft> {
  const own = ownEntry(node.attributes, "name") ?? "";
  if (own !== name) {
    yield warning(
      "D27",
      id,
      name,
      `Input \`${name}\` of subflow \`${id}\` is bound to \`${receiver}\`, declared as flow.input("${own}"). Use the same name in both places.`,
    );
  }
  if (ownEntry(node.attributes, "type") === "context" && name !== "context") {
    yield error(
      "D36",
      id,
      name,
      `Input \`${name}\` of subflow \`${id}\` is a context; a context enters a subflow only as flow.input("context", "context"). Rename it to context.`,
    );
  }
}

function* ofOutputs(
  survey: Survey,
  id: string,
  subflow: IrSubflow,
  members: ReadonlySet<string>,
): Generator<Draft> {
  for (const [name, source] of Object.entries(subflow.outputs)) {
    const node = survey.nodes.get(source.node);
    if (!isIdentifier(name)) yield notAnIdentifier(id, "output", name);
    if (!node || !members.has(source.node)) {
      yield error(
        "D22",
        id,
        name,
        `Output \`${name}\` of subflow \`${id}\` comes from \`${source.node}\`, which is not one of its nodes. Bind it to an output of a node in its chain.`,
      );
    } else if (!hasOutput(survey, node, source.slot)) {
      yield noSuchOutput(survey, node, source.slot, id, name);
    } else {
      const type = survey.typeOf(source);
      if (type === "node")
        yield error(
          "D13",
          id,
          name,
          `Output \`${name}\` of subflow \`${id}\` is bound to the control slot \`${source.node}.${source.slot}\`. Bind it to a data output.`,
        );
      if (type === "context")
        yield error(
          "D36",
          id,
          name,
          `Output \`${name}\` of subflow \`${id}\` is a context, which never leaves a subflow. Remove it.`,
        );
    }
  }
}

function notAnIdentifier(id: string, kind: "input" | "output", name: string): Draft {
  return error(
    "D06",
    id,
    name,
    `Subflow \`${id}\` has an ${kind} named ${JSON.stringify(name)}. Use an identifier: letters, digits, _ and $, not beginning with a digit.`,
  );
}

function* ofRun({ ir, nodes }: Survey): Generator<Draft> {
  if (!ir.run) {
    yield warning(
      "D60",
      null,
      null,
      "The flow has no run entry, so a run executes nothing. Export one: export const run = flow(…).",
    );
    return;
  }
  for (const root of ir.run.roots) {
    const node = nodes.get(root);
    if (!node)
      yield error(
        "D11",
        ir.run.id,
        root,
        `The run begins with \`${root}\`, which does not exist. Declare it or begin with another node.`,
      );
    else if (node.owners.length > 0)
      yield error(
        "D23",
        root,
        null,
        `The run begins with \`${root}\`, which is inside subflow ${list(node.owners)}. Call the subflow with flow.call instead.`,
      );
    else if (node.definition && !node.definition.control) yield notInChain(node);
  }
}

/** A wired `flow.input` that no contract binds never gets a value; one that a loop misses by name is reported there. */
function* unboundInputs(survey: Survey): Generator<Draft> {
  const bound = new Set(Object.values(survey.ir.subflows).flatMap(({ inputs }) => Object.values(inputs)));
  const missing = missingInputs(survey);
  for (const { id, node, definition, owners, outOf } of survey.nodes.values()) {
    if (definition?.type !== "flow.input" || bound.has(id) || outOf.length === 0) continue;
    const name = ownEntry(node.attributes, "name") ?? id;
    if (owners.some((owner) => missing.get(owner)?.has(name))) continue;
    const place = owners.length > 0 ? `subflow ${list(owners)}` : "any subflow";
    yield error(
      "D22",
      id,
      null,
      `\`${id}\` is a flow.input that the contract of ${place} does not bind, so it never has a value. Add \`${name}: ${id}\` to the inputs of the subflow.`,
    );
  }
}
