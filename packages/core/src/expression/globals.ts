import { excerpt } from "../json/excerpt.ts";
import { scan } from "../json/scan.ts";
import { jsonValue } from "../json/value.ts";
import { Unevaluable } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { chargeWriting, isList, kindOf, toNumber, toText } from "./values.ts";
import type { Value, ValueObject } from "./values.ts";

/** Taking an object apart makes a key and a pair for each property, which is slower than looking at them. */
const STEPS_PER_PROPERTY = 4;

/** Calls a function of the allow-list by its full name; `JSON.parse` keeps to the JSON policy (L-45). */
export function callGlobal(name: string, args: readonly Value[], budget: Budget): Value {
  const [first] = args;
  switch (name) {
    case "Number":
      return args.length === 0 ? 0 : toNumber(first, budget);
    case "String":
      return args.length === 0 ? "" : toText(first, budget);
    case "Boolean":
      return Boolean(first);
    case "Array.isArray":
      return isList(first);
    case "JSON.parse":
      return parsed(toText(first, budget), budget);
    case "JSON.stringify":
      chargeWriting(first, budget);
      return JSON.stringify(first);
    case "Object.keys":
      return Object.keys(own(first, name, budget));
    case "Object.values":
      return Object.values(own(first, name, budget));
    case "Object.entries":
      return Object.entries(own(first, name, budget));
    default:
      return callMath(name, args, budget);
  }
}

function parsed(text: string, budget: Budget): Value {
  budget.charge(text.length);
  const scanned = scan(text);
  if (!scanned.ok)
    throw new Unevaluable(`JSON.parse was given ${excerpt(text, 40)}: ${scanned.error.message}`);
  return jsonValue(scanned.text);
}

function own(value: Value, name: string, budget: Budget): ValueObject {
  if (value === null || value === undefined) throw new Unevaluable(`${name} was given ${kindOf(value)}`);
  const object: ValueObject = Object(value);
  const count = typeof value === "string" || isList(value) ? value.length : Object.keys(object).length;
  budget.charge(STEPS_PER_PROPERTY * count);
  return object;
}

/** A function of `Math`; the allow-list of the parser keeps `random` and everything inherited out. */
function callMath(name: string, args: readonly Value[], budget: Budget): number {
  const call = Object.getOwnPropertyDescriptor(Math, name.slice("Math.".length))?.value as (
    ...numbers: readonly number[]
  ) => number;
  return call(...args.map((arg) => toNumber(arg, budget)));
}
