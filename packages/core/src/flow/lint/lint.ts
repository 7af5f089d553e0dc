import type { LimitCaps } from "../../loop/config.ts";
import type { NodeRegistry } from "../../nodes/registry.ts";
import type { Finding } from "../findings.ts";
import type { Ir } from "../ir.ts";
import { callFindings } from "./calls.ts";
import { contractFindings } from "./contracts.ts";
import { edgeFindings } from "./edges.ts";
import { fileFindings } from "./files.ts";
import { functionFindings } from "./functions.ts";
import { graphFindings } from "./graphs.ts";
import { literalFindings } from "./literals.ts";
import { loopFindings } from "./loops.ts";
import { nodeFindings } from "./nodes.ts";
import { operationFindings } from "./operations.ts";
import { placeholderFindings } from "./placeholders.ts";
import { recursionFindings } from "./recursion.ts";
import { repeatFindings } from "./repeats.ts";
import { resourceFindings } from "./resources.ts";
import { sortFindings } from "./report.ts";
import type { Draft, Position } from "./report.ts";
import { subflowFindings } from "./subflows.ts";
import { survey } from "./survey.ts";

export type LintOptions = {
  readonly registry: NodeRegistry;
  /** The operator's caps on loops (L-7, L-8). */
  readonly caps: LimitCaps;
  /** Where nodes and subflows stand in the flow's text, by id; lines and columns from 1. */
  readonly positions?: ReadonlyMap<string, Position>;
  /** Whether the bundle has a file; left out, only the form of paths is checked. */
  readonly hasFile?: (path: string) => boolean;
};

/**
 * Everything that is wrong with an IR beyond its schema, all at once and sorted (2-flows 2.5). Never throws on an IR that
 * passes `irSchema`, wherever its references point; linear in its size and without recursion (P-69).
 */
export function lint(ir: Ir, { registry, caps, positions, hasFile }: LintOptions): Finding[] {
  const surveyed = survey(ir, registry);
  const rules: readonly Iterable<Draft>[] = [
    nodeFindings(surveyed),
    edgeFindings(surveyed),
    subflowFindings(surveyed),
    callFindings(surveyed),
    loopFindings(surveyed),
    functionFindings(surveyed),
    contractFindings(surveyed),
    repeatFindings(surveyed),
    operationFindings(surveyed, hasFile),
    recursionFindings(surveyed),
    literalFindings(surveyed, caps),
    placeholderFindings(surveyed),
    fileFindings(surveyed, hasFile),
    resourceFindings(surveyed),
    graphFindings(surveyed),
  ];
  const findings: Finding[] = [];
  for (const rule of rules) {
    for (const draft of rule) {
      const { line, column } = (draft.node === null ? undefined : positions?.get(draft.node)) ?? {
        line: null,
        column: null,
      };
      findings.push({ ...draft, line, column });
    }
  }
  return sortFindings(findings);
}
