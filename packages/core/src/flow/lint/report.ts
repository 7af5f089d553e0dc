import type { Finding } from "../findings.ts";
import { compareText } from "../ir.ts";
import type { LintCode } from "./codes.ts";

/** A finding before it is placed in the flow's text. `node` is the id of a node or subflow. */
export type Draft = Omit<Finding, "line" | "column">;

export type Position = { readonly line: number; readonly column: number };

/** A draft of severity error. */
export function error(code: LintCode, node: string | null, field: string | null, message: string): Draft {
  return { code, severity: "error", node, field, message };
}

/** A draft of severity warning. */
export function warning(code: LintCode, node: string | null, field: string | null, message: string): Draft {
  return { code, severity: "warning", node, field, message };
}

/** Findings in the order people read them: by line, those without one last, then node, code and field; each only once. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  const sorted = findings.toSorted(
    (a, b) =>
      (a.line ?? Infinity) - (b.line ?? Infinity) ||
      compareText(a.node ?? "", b.node ?? "") ||
      compareText(a.code, b.code) ||
      compareText(a.field ?? "", b.field ?? "") ||
      compareText(a.message, b.message),
  );
  return sorted.filter(({ code, node, field, message }) => {
    const key = JSON.stringify([code, node, field, message]);
    return !seen.has(key) && seen.add(key) !== null;
  });
}

/** Names in backticks, the middle of a long list left out. */
export function list(names: readonly string[], separator = ", "): string {
  const quoted = (part: readonly string[]) => part.map((name) => `\`${name}\``);
  if (names.length <= MOST_NAMES) return quoted(names).join(separator);
  const left = names.length - 2 * SHOWN_ENDS;
  return [
    ...quoted(names.slice(0, SHOWN_ENDS)),
    `… ${left} more …`,
    ...quoted(names.slice(-SHOWN_ENDS)),
  ].join(separator);
}

const MOST_NAMES = 12;
const SHOWN_ENDS = 5;
