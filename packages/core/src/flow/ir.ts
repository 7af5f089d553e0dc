import { z } from "zod";

/** Types a slot can have (F-7). `node` is control flow; every other type carries text (F-21). */
export const slotTypes = ["node", "text", "json", "bool", "file", "context", "image", "any"] as const;
export type SlotType = (typeof slotTypes)[number];

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
export const identifier = z.string().regex(IDENTIFIER, "must be an identifier");

/** Whether a text can name a node, a subflow or a member of a contract (F-16). */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}
const slotType = z.enum(slotTypes);

const slotReference = z.strictObject({ node: identifier, slot: z.string().min(1) });

/** A pin written in the flow: text as it stands, exact JSON text, or a path inside the bundle (F-7). */
const literalPin = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ json: z.string() }),
  z.strictObject({ file: z.string() }),
]);

const node = z.strictObject({
  definition: z.string(),
  label: z.string(),
  /** A command run by the shell; exclusive with `scriptRef`. */
  script: z.string().nullable(),
  /** A script file inside the bundle; exclusive with `script` (F-23). */
  scriptRef: z.string().nullable(),
  /** A prompt; exclusive with `bodyRef`. */
  body: z.string().nullable(),
  /** A prompt file inside the bundle. */
  bodyRef: z.string().nullable(),
  pins: z.record(z.string(), literalPin),
  /** Free input slots with their types. */
  inputs: z.record(z.string(), slotType),
  /** Free output slots with their types. */
  outputs: z.record(z.string(), slotType),
  /** What the definition asks for beyond slots: the name and type of a `flow.input`, the subflow of a call. */
  attributes: z.record(z.string(), z.string()),
});

const edge = z.strictObject({ from: slotReference, to: slotReference });

const subflow = z.strictObject({
  label: z.string(),
  /** Contract input name → the `flow.input` node that receives it (F-13). */
  inputs: z.record(z.string(), identifier),
  /** Contract output name → the member slot that gives it. */
  outputs: z.record(z.string(), slotReference),
  roots: z.array(identifier),
  /** Ids of all nodes of the subflow, sorted. */
  members: z.array(identifier),
});

/** The IR of one flow (F-17). Nodes stand in source order, which breaks ties of execution order (F-9). */
export const irSchema = z.strictObject({
  schema: z.literal(1),
  nodes: z.record(identifier, node),
  edges: z.array(edge),
  subflows: z.record(identifier, subflow),
  /** The exported `flow(...)`; null when the file has none (D60). */
  run: z.strictObject({ id: identifier, label: z.string(), roots: z.array(identifier) }).nullable(),
});

export type Ir = z.infer<typeof irSchema>;
export type IrNode = z.infer<typeof node>;
export type IrEdge = z.infer<typeof edge>;
export type IrSubflow = z.infer<typeof subflow>;
export type SlotReference = z.infer<typeof slotReference>;
export type LiteralPin = z.infer<typeof literalPin>;

/** Whether a value of type `from` may flow into a slot of type `to` (F-7). */
export function compatible(from: SlotType, to: SlotType): boolean {
  if (from === to) return true;
  if (from === "node" || to === "node") return false;
  return from === "any" || to === "any" || (from === "json" && to === "text");
}

/** Orders edges by source, then target, structurally; the order every stored IR has (F-17). */
export function compareEdges(a: IrEdge, b: IrEdge): number {
  return (
    compareText(a.from.node, b.from.node) ||
    compareText(a.from.slot, b.from.slot) ||
    compareText(a.to.node, b.to.node) ||
    compareText(a.to.slot, b.to.slot)
  );
}

/** Compares by UTF-16 code unit: the same order on every machine and locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a record holds under a name that came from outside: never something its prototype has. */
export function ownEntry<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
