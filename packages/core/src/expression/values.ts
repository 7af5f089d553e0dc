import { JSON_MAX_DEPTH } from "../limits.ts";
import { Unevaluable } from "./budget.ts";
import type { Budget } from "./budget.ts";

/** What an expression computes with: JSON values parsed for this evaluation alone, and undefined. Never a function. */
export type Value = undefined | null | boolean | number | string | readonly Value[] | ValueObject;
export type ValueObject = { readonly [key: string]: Value };
export type Primitive = undefined | null | boolean | number | string;

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isPrimitive(value: Value): value is Primitive {
  return value === null || typeof value !== "object";
}

/** What a value is called in a reason. */
export function kindOf(value: Value): string {
  if (value === null || value === undefined) return String(value);
  if (isList(value)) return "a list";
  switch (typeof value) {
    case "object":
      return "an object";
    case "string":
      return "a text";
    case "number":
      return "a number";
    default:
      return "a boolean";
  }
}

/** JavaScript's conversion to a primitive, without calling anything that the data could name. */
export function toPrimitive(value: Value, budget: Budget, depth = 0): Primitive {
  if (isPrimitive(value)) return value;
  if (depth > JSON_MAX_DEPTH) throw new Unevaluable(`a list is nested deeper than ${JSON_MAX_DEPTH} levels`);
  if (!isList(value)) {
    if (Object.hasOwn(value, "toString"))
      throw new Unevaluable("an object with a property toString has no text");
    return "[object Object]";
  }
  budget.charge(value.length);
  const texts = value.map((item) => {
    const text = item === null || item === undefined ? "" : String(toPrimitive(item, budget, depth + 1));
    budget.charge(text.length);
    return text;
  });
  return texts.join(",");
}

export function toText(value: Value, budget: Budget): string {
  return String(toPrimitive(value, budget));
}

export function toNumber(value: Value, budget: Budget): number {
  const primitive = toPrimitive(value, budget);
  if (typeof primitive === "string") budget.charge(primitive.length);
  return Number(primitive);
}

/** `===`; comparing texts of one length costs that length. */
export function isSame(left: Value, right: Value, budget: Budget): boolean {
  if (typeof left === "string" && typeof right === "string" && left.length === right.length)
    budget.charge(left.length);
  return left === right;
}

/**
 * Pays for every character and item that writing `value` out takes. A list may hold one value many times over, so what
 * is small in memory can be huge when written; deeper than 512 levels is refused.
 */
export function chargeWriting(value: Value, budget: Budget, depth = 0): void {
  if (isPrimitive(value)) return budget.charge(typeof value === "string" ? value.length + 1 : 1);
  if (depth >= JSON_MAX_DEPTH)
    throw new Unevaluable(`a value is nested deeper than ${JSON_MAX_DEPTH} levels`);
  budget.charge(1);
  if (isList(value)) {
    for (const item of value) chargeWriting(item, budget, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    budget.charge(key.length);
    chargeWriting(value[key], budget, depth + 1);
  }
}
