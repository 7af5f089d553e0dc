import type { Finding, LintCode } from "@agentflow/core";
import type { Node } from "acorn";
import type { Banned } from "./banned.ts";

/** Line and column of a piece of source, both counted from 1; columns in UTF-16 units. */
export type Position = { readonly line: number; readonly column: number };

/** Which node and which of its slots or texts a finding is about. */
export type Subject = { readonly node?: string; readonly field?: string };

/** Collects findings; what holds banned syntax is reported for that alone, not once more as unplaced. */
export type Report = {
  readonly add: (code: LintCode, at: Node, message: string, subject?: Subject) => void;
  /** D06, unless banned syntax inside `at` has been reported already. */
  readonly unplaced: (at: Node, message: string, subject?: Subject) => void;
  /** All findings by place in the text. */
  readonly findings: () => readonly Finding[];
};

/** Where a node of the syntax tree starts. */
export function positionOf(node: Node): Position {
  return { line: node.loc?.start.line ?? 1, column: (node.loc?.start.column ?? 0) + 1 };
}

/** A report that starts with the banned pieces of syntax of the file. */
export function createReport(banned: readonly Banned[]): Report {
  const found: Finding[] = [];
  const starts = banned.map(({ node }) => node.start).sort((a, b) => a - b);
  const add: Report["add"] = (code, at, message, subject = {}) => {
    const { line, column } = positionOf(at);
    found.push({
      code,
      severity: "error",
      node: subject.node ?? null,
      field: subject.field ?? null,
      line,
      column,
      message,
    });
  };
  for (const { code, node, message } of banned) add(code, node, message);
  return {
    add,
    unplaced: (at, message, subject) => {
      if (!holdsOne(starts, at)) add("D06", at, message, subject);
    },
    findings: () => found.toSorted(byPlace),
  };
}

/** Whether one of the sorted offsets lies within the node: a binary search, because hostile files hold many. */
function holdsOne(starts: readonly number[], at: Node): boolean {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < at.start) low = middle + 1;
    else high = middle;
  }
  const first = starts[low];
  return first !== undefined && first < at.end;
}

function byPlace(a: Finding, b: Finding): number {
  return (
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}
