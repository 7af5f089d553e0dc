import type { CallExpression, Expression, SpreadElement } from "acorn";
import type { Chain, ChainItem } from "../chain.ts";
import { textOf } from "./literals.ts";
import { calleeName } from "./program.ts";
import type { Subject } from "./report.ts";
import type { Scope } from "./scope.ts";

/** A `flow(label?, a, b, …)` as it is written; the label is null when there is none, `empty` when nothing follows it. */
export type WrittenChain = { readonly label: string | null; readonly chain: Chain; readonly empty: boolean };

/** The expression when it is `flow(...)`, else null. */
export function asFlowCall(expression: Expression | SpreadElement | undefined): CallExpression | null {
  return expression?.type === "CallExpression" && calleeName(expression.callee) === "flow"
    ? expression
    : null;
}

/** Reads `flow(...)`: node variables, forks and nested flows in argument order (F-9); anything else is D06. */
export function readChain(scope: Scope, call: CallExpression, subject: Subject): WrittenChain {
  const [first] = call.arguments;
  const label = first ? textOf(first) : null;
  const items = label === null ? call.arguments : call.arguments.slice(1);
  return { label, chain: items.flatMap((item) => readItem(scope, item, subject)), empty: items.length === 0 };
}

function readItem(scope: Scope, item: Expression | SpreadElement, subject: Subject): readonly ChainItem[] {
  const nested = asFlowCall(item);
  if (nested) return readChain(scope, nested, subject).chain;
  if (item.type === "CallExpression" && calleeName(item.callee) === "flow.fork") {
    const fork = readFork(scope, item, subject);
    return fork.length > 0 ? [{ fork }] : [];
  }
  if (item.type === "Identifier") {
    const binding = scope.bindings.get(item.name);
    if (binding?.kind === "node") return [binding.id];
    scope.report.unplaced(item, notANode(item.name, binding?.kind), subject);
    return [];
  }
  const mend = "declare the node with const and write its variable here";
  scope.report.unplaced(
    item,
    `A chain holds node variables, flow(...) and flow.fork(...) only: ${mend}.`,
    subject,
  );
  return [];
}

function notANode(name: string, kind: "output" | "subflow" | "run" | undefined): string {
  if (kind === "subflow")
    return `\`${name}\` is a subflow: declare a flow.call of it and write that variable in the chain.`;
  if (kind === "output")
    return `\`${name}\` is an output, not a node: write the node's variable in the chain.`;
  if (kind === "run") return `\`${name}\` is the run entry itself: write its nodes.`;
  return `There is no node \`${name}\`: declare it with const, or correct the name.`;
}

function readFork(scope: Scope, call: CallExpression, subject: Subject): readonly Chain[] {
  if (call.arguments.length === 0)
    scope.report.unplaced(call, "flow.fork(...) without branches: write flow(...) for each branch.", subject);
  const branches: Chain[] = [];
  for (const branch of call.arguments) {
    const inner = asFlowCall(branch);
    const written = inner && readChain(scope, inner, subject);
    if (!written)
      scope.report.unplaced(branch, "A branch of flow.fork is written flow(...): wrap it.", subject);
    else if (written.chain.length > 0) branches.push(written.chain);
    else if (written.empty)
      scope.report.unplaced(
        branch,
        "This branch of flow.fork is empty: write its nodes, or remove it.",
        subject,
      );
  }
  return branches;
}
