import { compareText, defaultRegistry, readOperation } from "@agentflow/core";
import type { Ir, IrSubflow, NodeRegistry, SlotReference } from "@agentflow/core";
import { LANGUAGE_MODULE, languageNames, placeholderConstants } from "../parse/names.ts";
import type { Followers } from "./chain-of.ts";
import { chainOf, flowText } from "./chain-of.ts";
import { nodeText } from "./node-text.ts";
import { statementOrder } from "./order.ts";
import { isPlainName, member, objectLiteral, propertyKey, stringLiteral } from "./text.ts";

/**
 * The text of `workspace.flow.js` for an IR (F-18): the same IR gives the same text, and reading the text gives the IR
 * again. An IR that no text can say prints as something else: `roundTrips` tells.
 */
export function printFlow(ir: Ir, registry: NodeRegistry = defaultRegistry): string {
  const printing = prepare(ir, registry);
  const statements = statementOrder(ir).map(({ kind, id }) =>
    kind === "node" ? nodeStatement(printing, id) : subflowStatement(printing, id),
  );
  if (ir.run) {
    const { id, label, roots } = ir.run;
    statements.push(
      `export const ${id} = ${flowText(chainOf(roots, followersWithin(printing, null)), stringLiteral(label))};\n`,
    );
  }
  const text = statements.join("");
  const used = usedNames(ir);
  return used.length > 0 ? `import { ${used.join(", ")} } from "${LANGUAGE_MODULE}";\n\n${text}` : text;
}

/** The names of the language that the text of an IR needs, sorted. */
function usedNames(ir: Ir): readonly string[] {
  const nodes = Object.values(ir.nodes);
  const used = new Set(nodes.map(({ definition }) => definition.split(".")[0] ?? ""));
  if (
    ir.run ||
    Object.keys(ir.subflows).length > 0 ||
    nodes.some(({ definition }) => definition === "control.if")
  )
    used.add("flow");
  const refersToFile = nodes.some(
    ({ scriptRef, bodyRef, pins }) =>
      scriptRef !== null || bodyRef !== null || Object.values(pins).some((pin) => "file" in pin),
  );
  if (refersToFile) used.add("file");
  for (const { attributes } of nodes) {
    const read = attributes["operation"] === undefined ? null : readOperation(attributes["operation"]);
    if (read?.ok) used.add(read.operation.kind);
  }
  return [...used].filter((name) => languageNames.has(name)).sort(compareText);
}

type Printing = {
  readonly ir: Ir;
  readonly registry: NodeRegistry;
  readonly sources: ReadonlyMap<string, ReadonlyMap<string, SlotReference>>;
  /** Control edges by source node and exit. */
  readonly exits: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** The subflow of each member; nodes of the parent graph have none. */
  readonly home: ReadonlyMap<string, string>;
  /** Names that variables of destructured outputs must not take. */
  readonly taken: Set<string>;
  /** What follows each node, by subflow; filled as it is asked for. */
  readonly followers: Map<string | null, Followers>;
};

function prepare(ir: Ir, registry: NodeRegistry): Printing {
  const sources = new Map<string, Map<string, SlotReference>>();
  const exits = new Map<string, Map<string, string[]>>();
  for (const { from, to } of ir.edges) {
    if (to.slot === "prev") list(submap(exits, from.node), from.slot).push(to.node);
    else submap(sources, to.node).set(to.slot, from);
  }
  const home = new Map(
    Object.entries(ir.subflows).flatMap(([id, { members }]) => members.map((node) => [node, id] as const)),
  );
  const declared = [...Object.keys(ir.nodes), ...Object.keys(ir.subflows), ...(ir.run ? [ir.run.id] : [])];
  const taken = new Set([...declared, ...languageNames, ...placeholderConstants]);
  return { ir, registry, sources, exits, home, taken, followers: new Map() };
}

function submap<T>(map: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const found = map.get(key) ?? new Map<string, T>();
  map.set(key, found);
  return found;
}

function list(map: Map<string, string[]>, key: string): string[] {
  const found = map.get(key) ?? [];
  map.set(key, found);
  return found;
}

/** What follows each node inside one subflow, or in the parent graph for null. */
function followersWithin({ exits, home, followers: found }: Printing, subflow: string | null): Followers {
  const before = found.get(subflow);
  if (before) return before;
  const inside = (id: string): boolean => (home.get(id) ?? null) === subflow;
  const followers = new Map<string, readonly string[]>();
  for (const [id, targets] of exits) {
    if (inside(id)) followers.set(id, (targets.get("next") ?? []).filter(inside));
  }
  found.set(subflow, followers);
  return followers;
}

function nodeStatement(printing: Printing, id: string): string {
  const { ir, registry, sources, exits, home } = printing;
  const node = ir.nodes[id];
  if (!node) throw new Error(`no node ${id}`);
  const targets = exits.get(id);
  const branches = { then: targets?.get("then") ?? [], else: targets?.get("else") ?? [] };
  const followers =
    node.definition === "control.if"
      ? followersWithin(printing, home.get(id) ?? null)
      : new Map<string, readonly string[]>();
  const view = {
    id,
    ir,
    node,
    definition: registry.find(node.definition),
    sources: sources.get(id) ?? new Map(),
    branches,
    followers,
  };
  return `const ${id} = ${nodeText(view)};\n${outputsStatement(printing, id, Object.keys(node.outputs))}`;
}

/** Free outputs are declared by destructuring (F-6); the variables serve nothing else, so any free name will do. */
function outputsStatement({ taken }: Printing, id: string, outputs: readonly string[]): string {
  if (outputs.length === 0) return "";
  const names = outputs.map((output) => {
    let name = isPlainName(output) && !taken.has(output) ? output : `${id}_output`;
    for (let count = 2; taken.has(name); count++) name = `${id}_output${count}`;
    taken.add(name);
    return name === output ? name : `${propertyKey(output)}: ${name}`;
  });
  return `const { ${names.join(", ")} } = ${id};\n`;
}

function subflowStatement(printing: Printing, id: string): string {
  const subflow = printing.ir.subflows[id] as IrSubflow;
  const inputs = objectLiteral(Object.entries(subflow.inputs));
  const outputs = objectLiteral(Object.entries(subflow.outputs).map(([name, from]) => [name, member(from)]));
  const chain = flowText(chainOf(subflow.roots, followersWithin(printing, id)));
  return `export const ${id} = flow.subflow(${[stringLiteral(subflow.label), inputs, chain, outputs].join(", ")});\n\n`;
}
