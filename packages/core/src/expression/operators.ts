import type { BinaryOperator } from "./ast.ts";
import { Unevaluable } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { isSame, kindOf, toNumber, toPrimitive } from "./values.ts";
import type { Value } from "./values.ts";

/** JavaScript's operators, but for `==`: it is `===` except that null equals undefined (E-1). */
export function binary(operator: BinaryOperator, left: Value, right: Value, budget: Budget): Value {
  switch (operator) {
    case "===":
      return isSame(left, right, budget);
    case "!==":
      return !isSame(left, right, budget);
    case "==":
      return isEqual(left, right, budget);
    case "!=":
      return !isEqual(left, right, budget);
    case "+":
      return add(left, right, budget);
    case "-":
      return toNumber(left, budget) - toNumber(right, budget);
    case "*":
      return toNumber(left, budget) * toNumber(right, budget);
    case "/":
      return toNumber(left, budget) / toNumber(right, budget);
    case "%":
      return toNumber(left, budget) % toNumber(right, budget);
    default:
      return compare(operator, left, right, budget);
  }
}

function isEqual(left: Value, right: Value, budget: Budget): boolean {
  return (left ?? null) === null ? (right ?? null) === null : isSame(left, right, budget);
}

function add(left: Value, right: Value, budget: Budget): string | number {
  const [a, b] = [toPrimitive(left, budget), toPrimitive(right, budget)];
  if (typeof a !== "string" && typeof b !== "string") return Number(a) + Number(b);
  const [start, end] = [String(a), String(b)];
  budget.charge(start.length + end.length);
  return start + end;
}

function compare(operator: "<" | "<=" | ">" | ">=", left: Value, right: Value, budget: Budget): boolean {
  const a = toPrimitive(left, budget);
  const b = toPrimitive(right, budget);
  if (typeof a !== "string" || typeof b !== "string")
    return ordered(operator, toNumber(a, budget), toNumber(b, budget));
  budget.charge(Math.min(a.length, b.length));
  return ordered(operator, a, b);
}

function ordered<T extends string | number>(operator: "<" | "<=" | ">" | ">=", a: T, b: T): boolean {
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

/** An own property; of null and undefined there is none to read, which makes the expression unevaluable (E-2). */
export function property(object: Value, key: string, of: string): Value {
  if (object === null || object === undefined)
    throw new Unevaluable(`${of} is ${kindOf(object)}, so it has no property ${key}`);
  return Object.hasOwn(Object(object), key) ? (object as { readonly [key: string]: Value })[key] : undefined;
}
