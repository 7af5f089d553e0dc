import { ownEntry } from "../ir.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";
import { isLoop } from "./survey.ts";
import type { Survey, SubflowUse } from "./survey.ts";

/** How deep loops may stand in loops (D44). */
const DEEPEST_LOOP = 5;

/** Subflows that contain themselves through calls and loops (D24), and loops nested too deep (D44). Walks without recursion. */
export function* recursionFindings(survey: Survey): Generator<Draft> {
  const inside = usesBySubflow(survey);
  yield* cycles(survey, inside);
  const depths = loopDepths(survey, inside);
  for (const node of survey.nodes.values()) {
    if (!isLoop(node)) continue;
    const depth = node.owners.reduce((deepest, owner) => Math.max(deepest, 1 + (depths.get(owner) ?? 0)), 1);
    if (depth > DEEPEST_LOOP) {
      yield error(
        "D44",
        node.id,
        null,
        `Loop \`${node.id}\` is ${depth} loops deep; at most ${DEEPEST_LOOP} may be nested. Merge inner loops, or split the flow.`,
      );
    }
  }
}

function usesBySubflow({ ir, uses }: Survey): Map<string, SubflowUse[]> {
  const inside = new Map<string, SubflowUse[]>();
  for (const use of uses) {
    if (!ownEntry(ir.subflows, use.subflow)) continue;
    for (const owner of use.node.owners) {
      const found = inside.get(owner);
      if (found) found.push(use);
      else inside.set(owner, [use]);
    }
  }
  return inside;
}

function* cycles({ ir }: Survey, inside: ReadonlyMap<string, readonly SubflowUse[]>): Generator<Draft> {
  const finished = new Set<string>();
  for (const start of Object.keys(ir.subflows)) {
    const path: string[] = [];
    const depthOf = new Map<string, number>();
    const open = [{ subflow: start, left: enter(start, path, depthOf, inside) }];
    for (let at = open.at(-1); at; at = open.at(-1)) {
      const use = at.left.pop();
      if (!use || finished.has(at.subflow)) {
        open.pop();
        path.pop();
        depthOf.delete(at.subflow);
        finished.add(at.subflow);
        continue;
      }
      const depth = depthOf.get(use.subflow);
      if (depth !== undefined) yield recursive(use, [...path.slice(depth), use.subflow]);
      else if (!finished.has(use.subflow))
        open.push({ subflow: use.subflow, left: enter(use.subflow, path, depthOf, inside) });
    }
  }
}

function enter(
  subflow: string,
  path: string[],
  depthOf: Map<string, number>,
  inside: ReadonlyMap<string, readonly SubflowUse[]>,
): SubflowUse[] {
  depthOf.set(subflow, path.length);
  path.push(subflow);
  return (inside.get(subflow) ?? []).toReversed();
}

const entries = {
  call: { how: "calls", field: "subflow" },
  condition: { how: "has as its Condition", field: "condition" },
  body: { how: "has as its Body", field: "body" },
  child: { how: "has as its child", field: "child" },
  action: { how: "has as its action", field: "operation" },
} as const satisfies Record<SubflowUse["role"], { how: string; field: string }>;

function recursive({ node, role, subflow }: SubflowUse, chain: readonly string[]): Draft {
  const { how, field } = entries[role];
  return error(
    "D24",
    node.id,
    field,
    `\`${node.id}\` ${how} subflow \`${subflow}\`, which contains it: ${list(chain, " → ")}. Break the chain; repetition is what loops are for.`,
  );
}

/** Subflow → number of loops around it on the longest way in; those that are part of a recursion are left out. */
function loopDepths(
  { ir, uses }: Survey,
  inside: ReadonlyMap<string, readonly SubflowUse[]>,
): Map<string, number> {
  const depths = new Map<string, number>();
  const missing = new Map<string, number>(Object.keys(ir.subflows).map((id) => [id, 0]));
  const deepen = ({ role, subflow }: SubflowUse, around: number) => {
    depths.set(subflow, Math.max(depths.get(subflow) ?? 0, around + (role === "call" ? 0 : 1)));
  };
  for (const use of uses) {
    if (!missing.has(use.subflow)) continue;
    missing.set(use.subflow, (missing.get(use.subflow) ?? 0) + use.node.owners.length);
    if (use.node.owners.length === 0) deepen(use, 0);
  }
  const ready = [...missing].filter(([, count]) => count === 0).map(([id]) => id);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const use of inside.get(id) ?? []) {
      deepen(use, depths.get(id) ?? 0);
      const left = (missing.get(use.subflow) ?? 0) - 1;
      missing.set(use.subflow, left);
      if (left === 0) ready.push(use.subflow);
    }
  }
  return depths;
}
