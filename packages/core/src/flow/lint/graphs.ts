import { findCycle } from "../graph.ts";
import type { IrEdge } from "../ir.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import type { Survey } from "./survey.ts";

type Part = { readonly members: string[]; readonly edges: IrEdge[] };

/** Cycles (D15) and nodes that nothing leads to or from (D60). */
export function* graphFindings(survey: Survey): Generator<Draft> {
  for (const { members, edges } of parts(survey)) {
    const cycle = findCycle(survey.ir, survey.registry, members, edges);
    if (cycle === null) continue;
    const [first = ""] = cycle;
    yield error(
      "D15",
      first,
      null,
      `${list([...cycle, first], " → ")} go round in a circle; a node that follows an if must not stand in its branch. Remove one of these edges; repetition is what loops are for.`,
    );
  }
  yield* lonely(survey);
}

/** The parent graph and the inside of each subflow; a node of two (D21) counts for the first. */
function parts({ ir, nodes }: Survey): Iterable<Part> {
  const found = new Map<string | null, Part>();
  const part = (owner: string | null) => {
    const made = found.get(owner) ?? { members: [], edges: [] };
    found.set(owner, made);
    return made;
  };
  const ownerOf = (id: string) => nodes.get(id)?.owners[0] ?? null;
  for (const id of nodes.keys()) part(ownerOf(id)).members.push(id);
  for (const edge of ir.edges) {
    const owner = ownerOf(edge.from.node);
    if (owner === ownerOf(edge.to.node)) part(owner).edges.push(edge);
  }
  return found.values();
}

function* lonely({ ir, nodes }: Survey): Generator<Draft> {
  const subflows = Object.values(ir.subflows);
  const used = new Set([
    ...(ir.run?.roots ?? []),
    ...subflows.flatMap(({ roots, inputs, outputs }) => [
      ...roots,
      ...Object.values(inputs),
      ...Object.values(outputs).map(({ node }) => node),
    ]),
  ]);
  for (const { id, into, outOf } of nodes.values()) {
    if (into.size > 0 || outOf.length > 0 || used.has(id)) continue;
    yield warning(
      "D60",
      id,
      null,
      `\`${id}\` is connected to nothing. Wire it, put it into a flow(…), or remove it.`,
    );
  }
}
