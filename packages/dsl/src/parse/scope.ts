import type { LiteralPin, NodeDefinition, NodeRegistry, SlotReference, SlotType } from "@agentflow/core";
import type { CallExpression, Node } from "acorn";
import type { Chain } from "../chain.ts";
import type { Position, Report } from "./report.ts";
import { positionOf } from "./report.ts";

/** The bundle as the parser sees it: which paths, relative to the flow folder, it holds. */
export type FlowFiles = { readonly has: (path: string) => boolean };

/** What a variable of the file stands for. `start` is the offset of its declaration. */
export type Binding =
  | { readonly kind: "node"; readonly id: string; readonly definition: NodeDefinition | null }
  | { readonly kind: "output"; readonly from: SlotReference }
  | { readonly kind: "subflow"; readonly id: string; readonly start: number }
  | { readonly kind: "run"; readonly id: string };

/** A node while the file is being read; becomes a node of the IR and the edges into it. */
export type NodeDraft = {
  readonly id: string;
  /** The name it was called by; an alias keeps its own name here. */
  readonly type: string;
  /** Null when the type is unknown (D07). */
  readonly definition: NodeDefinition | null;
  readonly call: CallExpression;
  label: string;
  script: string | null;
  scriptRef: string | null;
  body: string | null;
  bodyRef: string | null;
  readonly pins: Map<string, LiteralPin>;
  readonly sources: Map<string, SlotReference>;
  /** Slots that came out of `${node.slot}` in a template; slots of their own whatever the definition says (F-8). */
  readonly templateSlots: Set<string>;
  readonly outputs: Map<string, SlotType>;
  readonly attributes: Map<string, string>;
  /** Branches of a `control.if`. */
  readonly branches: { then: Chain; else: Chain };
};

export type SubflowDraft = {
  readonly id: string;
  readonly label: string;
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputs: ReadonlyMap<string, SlotReference>;
  readonly chain: Chain;
};

export type RunDraft = { readonly id: string; readonly label: string; readonly chain: Chain };

/** Everything the readers of one file share. */
export type Scope = {
  readonly registry: NodeRegistry;
  readonly files: FlowFiles;
  readonly report: Report;
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly drafts: ReadonlyMap<string, NodeDraft>;
  /** Where each pin and text of a node is written: node → field → place. */
  readonly fields: Map<string, Map<string, Position>>;
};

/** Remembers where a field of a node stands, so that lint can point at it. */
export function markField(scope: Scope, node: string, field: string, at: Node): void {
  const fields = scope.fields.get(node) ?? new Map<string, Position>();
  fields.set(field, positionOf(at));
  scope.fields.set(node, fields);
}
