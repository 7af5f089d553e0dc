import { defaultRegistry } from "@agentflow/core";
import type { Finding, Ir, NodeRegistry } from "@agentflow/core";
import type { Program } from "acorn";
import { linkChain, MAX_STEPS } from "../chain.ts";
import type { Chain } from "../chain.ts";
import { assemble } from "./assemble.ts";
import { findBanned } from "./banned.ts";
import { readNode } from "./calls.ts";
import { readChain } from "./chains.ts";
import type { Declarations } from "./declarations.ts";
import { declare } from "./declarations.ts";
import { readProgram } from "./program.ts";
import type { Position } from "./report.ts";
import { createReport, positionOf } from "./report.ts";
import type { FlowFiles, RunDraft, Scope } from "./scope.ts";
import { readSource, tooDeep } from "./source.ts";
import { readSubflow } from "./subflows.ts";

/** What a flow file says. */
export type ParsedFlow = {
  /** Null when there is no file or it is no module (D01); otherwise all that could be placed, for lint to go on with. */
  readonly ir: Ir | null;
  /** Everything wrong that shows while reading, by place. Any error means: do not store `ir`. */
  readonly findings: readonly Finding[];
  /** Where each node, subflow and the run entry is declared. */
  readonly positions: ReadonlyMap<string, Position>;
  /** Where each pin, text, contract member or other field of a node is written: node → field → place. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, Position>>;
};

export type FlowSource = {
  /** Text of `workspace.flow.js`; null when the folder has none. */
  readonly text: string | null;
  readonly files: FlowFiles;
  readonly registry?: NodeRegistry;
};

/**
 * Reads a flow file statically into its IR (F-3 to F-11); nothing of it is executed and it never throws on any text. All
 * findings come at once (D01 to D07, D10, D11), lines and columns counted from 1.
 */
export function parseFlow({ text, files, registry = defaultRegistry }: FlowSource): ParsedFlow {
  const source = readSource(text);
  if ("finding" in source) return unreadable(source.finding);
  try {
    return readFlow(source.program, files, registry);
  } catch (error) {
    if (error instanceof RangeError) return unreadable(tooDeep());
    throw error;
  }
}

function unreadable(finding: Finding): ParsedFlow {
  return { ir: null, findings: [finding], positions: new Map(), fields: new Map() };
}

function readFlow(program: Program, files: FlowFiles, registry: NodeRegistry): ParsedFlow {
  const report = createReport(findBanned(program));
  const declarations = declare(readProgram(program, report), registry, report);
  const { bindings, drafts } = declarations;
  const scope: Scope = { registry, files, report, bindings, drafts, fields: new Map() };
  for (const draft of drafts.values()) readNode(scope, draft);
  const subflows = declarations.subflows.map(({ id, call }) => readSubflow(scope, id, call));
  const run = readRun(scope, declarations);
  for (const { id, branches } of drafts.values()) {
    checkSize(scope, declarations, id, branches.then);
    checkSize(scope, declarations, id, branches.else);
  }
  for (const { id, chain } of [...subflows, ...(run ? [run] : [])]) checkSize(scope, declarations, id, chain);
  return {
    ir: assemble({ drafts, subflows, run }, registry),
    findings: report.findings(),
    positions: new Map(
      [...declarations.names]
        .filter(([id]) => bindings.get(id)?.kind !== "output")
        .map(([id, at]) => [id, positionOf(at)]),
    ),
    fields: scope.fields,
  };
}

function readRun(scope: Scope, { run }: Declarations): RunDraft | null {
  if (!run) return null;
  const { label, chain } = readChain(scope, run.call, { node: run.id });
  return { id: run.id, label: label ?? run.id, chain };
}

function checkSize(scope: Scope, { names }: Declarations, id: string, chain: Chain): void {
  const at = names.get(id);
  if (at && linkChain(chain).tooMany) {
    scope.report.add(
      "D06",
      at,
      `The chain of \`${id}\` has more than ${MAX_STEPS} steps: let forks meet in one node before the next fork.`,
      { node: id },
    );
  }
}
