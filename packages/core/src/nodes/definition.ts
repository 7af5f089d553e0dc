import { z } from "zod";
import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import type { IrNode, SlotType } from "../flow/ir.ts";
import { saysTrue } from "../flow/pins.ts";

/** One named slot of a node type. A required slot must be wired or written. */
export type SlotSpec = {
  readonly type: SlotType;
  readonly required?: boolean;
  readonly accepts?: readonly SlotType[];
};

/** What a node shows on the canvas. */
export type Card = { readonly title: string; readonly icon: string; readonly tone: string };

/** Resolved input values by slot name; blank text counts as no value (F-21). */
export type SlotValues = ReadonlyMap<string, string>;

/** What a node's `run` sees: itself and its resolved inputs. */
export type NodeStep = { readonly id: string; readonly node: IrNode; readonly inputs: SlotValues };

/**
 * What a node answers: values, a failure, or the effect the engine must carry out for it.
 * - `outputs`: finished; `exit` names the control slot taken when there are several.
 * - `command`: run the node's script or scriptRef; trimmed stdout becomes `result`.
 * - `function`: call the default export of the node's module; what it returns becomes `result`.
 * - `agent`: let a model or a coding agent do the node's prompt; its answer becomes `result` and the free outputs (2.8).
 * - `call`: run a subflow in a frame of its own; its contract outputs become the node's outputs.
 * - `loop`: hand the node to the loop protocol.
 * - `pause`: the node wants to wait; legal in no built-in place (L-20).
 */
export type NodeAnswer =
  | { readonly kind: "outputs"; readonly outputs: SlotValues; readonly exit?: string }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "command" }
  | { readonly kind: "function" }
  | { readonly kind: "agent" }
  | { readonly kind: "call"; readonly subflow: string }
  | { readonly kind: "loop" }
  | { readonly kind: "pause" };

/** Which text follows the pins in the DSL: a command, a prompt, a file with a JavaScript module, or none (F-6). */
export type NodeText = "script" | "body" | "module" | "none";

/** A node type: its slots, its text, its card and its behaviour (F-25). One file each, found by the registry. */
export type NodeDefinition = {
  /** Name in the DSL, e.g. `tool.nodejs`. */
  readonly type: string;
  readonly aliases?: readonly string[];
  /** Whether the node stands in a control chain (has `prev`). */
  readonly control: boolean;
  /** Control slots out; empty for nodes outside chains. */
  readonly exits: readonly string[];
  readonly inputs: Readonly<Record<string, SlotSpec>>;
  /** What the texts of inputs must be beyond their types; blank text counts as missing. Lint holds written pins to it (D13). */
  readonly pins: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  readonly outputs: Readonly<Record<string, SlotSpec>>;
  readonly freeInputs: boolean;
  readonly freeOutputs: boolean;
  readonly text: NodeText;
  /** True when running it twice could be noticed outside: its outputs are journaled (S-11). */
  readonly effects: boolean;
  /**
   * Set when its work is done outside of the worker though it has no effects as such: it needs a claim, may take long, and gives
   * what no input decides. Names the bool pin with which the author says that one node has effects after all.
   */
  readonly outside: string | null;
  /** True when its outputs are kept as results of the run. */
  readonly shown: boolean;
  /** True when it may park the run: refused inside subflows (D43). */
  readonly pauses: boolean;
  readonly card: Card;
  /** Pure: values in, an answer out. */
  readonly run: (step: NodeStep) => NodeAnswer;
};

type Defaults =
  | "control"
  | "exits"
  | "inputs"
  | "pins"
  | "outputs"
  | "freeInputs"
  | "freeOutputs"
  | "text"
  | "effects"
  | "outside"
  | "shown"
  | "pauses";

/**
 * Builds a definition; a node is in the control chain with one exit `next` unless it says otherwise. Its `run` is called only
 * with inputs that its `pins` allow; others are `config_invalid`.
 */
export function defineNode(
  given: Omit<NodeDefinition, Defaults> & Partial<Pick<NodeDefinition, Defaults>>,
): NodeDefinition {
  return {
    control: true,
    exits: given.control === false ? [] : ["next"],
    inputs: {},
    pins: NO_RULES,
    outputs: {},
    freeInputs: false,
    freeOutputs: false,
    text: "none",
    effects: false,
    outside: null,
    shown: false,
    pauses: false,
    ...given,
    run: (step) => pinFailure(given.pins ?? NO_RULES, step.inputs) ?? given.run(step),
  };
}

const NO_RULES = z.object({});

function pinFailure({ shape }: NodeDefinition["pins"], inputs: SlotValues): NodeAnswer | null {
  for (const [slot, rule] of Object.entries(shape)) {
    const problem = pinProblem(rule, inputs.get(slot));
    if (problem !== null)
      return {
        kind: "failed",
        failure: failure("config_invalid", `The input ${slot} is refused: ${problem}.`),
      };
  }
  return null;
}

/** Whether running this node twice could be noticed, by its type or because its author says so. */
export function nodeHasEffects({ effects, outside }: NodeDefinition, node: IrNode): boolean {
  return outside === null ? effects : effects || saysTrue(node, outside);
}

/** What is wrong with the text of one input by its rule, or null; blank text is no value (F-21). */
export function pinProblem(rule: z.ZodType, text: string | undefined): string | null {
  const checked = rule.safeParse(text === undefined || text.trim() === "" ? undefined : text);
  return checked.success ? null : checked.error.issues.map(({ message }) => message).join("; ");
}

/** Shorthand for an answer with one output. */
export function output(slot: string, value: string): NodeAnswer {
  return { kind: "outputs", outputs: new Map([[slot, value]]) };
}
