import { readFileSync } from "node:fs";
import type { FlowContract } from "@agentflow/contract";
import { scan } from "@agentflow/core";
import { usageError } from "../exit.ts";

/** Reads `id=value` options into the inputs of a run: node id → exact JSON text (F-29). */
export function readInputs(given: readonly string[], contract: FlowContract): ReadonlyMap<string, string> {
  const inputs = new Map<string, string>();
  for (const option of given) {
    const [, id, value] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    if (id === undefined || value === undefined)
      throw usageError(`--input ${JSON.stringify(option)} is not of the form id=value or id=@file`);
    const node = contract.inputs.find((input) => input.node === id);
    if (node === undefined) throw usageError(unknownInput(id, contract));
    if (inputs.has(id)) throw usageError(`--input ${id} is given twice`);
    inputs.set(id, valueText(id, node.type, value));
  }
  return inputs;
}

function unknownInput(id: string, { inputs }: FlowContract): string {
  const known = inputs.map(({ node, type }) => `${node} (${type})`);
  return `the flow has no input ${JSON.stringify(id)}; ${known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`}`;
}

/** JSON stays as it was written; anything else is text, but for true and false of a bool. */
function valueText(id: string, type: string, value: string): string {
  const text = fromFile(value);
  if (type === "json") return jsonText(`--input ${id}`, text);
  if (type === "bool" && /^(true|false)$/.test(text.trim())) return text.trim();
  return JSON.stringify(text);
}

/** `--payload`: JSON or `@file`, as exact JSON text (L-40). */
export function readPayload(given: string): string {
  return jsonText("--payload", fromFile(given));
}

/** JSON text never begins with `@`; other text that does is written `@@…`. */
function fromFile(value: string): string {
  if (value.startsWith("@@")) return value.slice(1);
  if (!value.startsWith("@")) return value;
  const file = value.slice(1);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function jsonText(option: string, text: string): string {
  const scanned = scan(text);
  if (scanned.ok) return scanned.text;
  throw usageError(`${option} is not JSON: ${scanned.error.message}`);
}

/** An option that may stand several times. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** A whole number from `min`, written in digits. */
export function wholeNumber(option: string, min: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min) return number;
    throw usageError(`${option} is ${JSON.stringify(value)}; expected a whole number from ${min}`);
  };
}
