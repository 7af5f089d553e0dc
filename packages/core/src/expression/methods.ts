import type { Method } from "./allowed.ts";
import { Unevaluable } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { isList, kindOf, toNumber, toText } from "./values.ts";
import type { Value } from "./values.ts";

/** Units of text that a search inside a text may compare for one step, when it goes as badly as it can. */
const COMPARED_PER_STEP = 1000;

/** Calls a method of a text, or of a list where lists have it too. Anything else has no methods here. */
export function callMethod(
  object: Value,
  method: Method,
  args: readonly Value[],
  of: string,
  budget: Budget,
): Value {
  if (typeof object === "string") return ofText(object, method, args, budget);
  if (isList(object)) {
    switch (method) {
      case "includes":
      case "indexOf":
      case "lastIndexOf":
      case "slice":
        return ofList(object, method, args, budget);
    }
  }
  throw new Unevaluable(`${of} is ${kindOf(object)}, which has no method ${method}`);
}

function ofText(text: string, method: Method, args: readonly Value[], budget: Budget): Value {
  budget.charge(text.length);
  const position = (at: number) => (args[at] === undefined ? undefined : toNumber(args[at], budget));
  switch (method) {
    case "slice":
      return text.slice(position(0), position(1));
    case "trim":
    case "trimStart":
    case "trimEnd":
      return text[method]();
    case "toLowerCase":
    case "toUpperCase": {
      const made = text[method]();
      budget.charge(made.length);
      return made;
    }
    default: {
      const wanted = toText(args[0], budget);
      budget.charge(wanted.length + Math.floor((text.length * wanted.length) / COMPARED_PER_STEP));
      return text[method](wanted, position(1));
    }
  }
}

function ofList(
  list: readonly Value[],
  method: "includes" | "indexOf" | "lastIndexOf" | "slice",
  args: readonly Value[],
  budget: Budget,
): Value {
  budget.charge(list.length);
  // An explicit undefined is a position too: `lastIndexOf(x, undefined)` looks at the first item only.
  const positions = (from: number) =>
    args.slice(from).map((arg) => (arg === undefined ? arg : toNumber(arg, budget)));
  if (method === "slice") return list.slice(...positions(0));
  // JavaScript does not look at the position either when there is nothing to search.
  if (list.length === 0) return method === "includes" ? false : -1;
  const [wanted] = args;
  if (typeof wanted === "string") {
    for (const item of list)
      if (typeof item === "string" && item.length === wanted.length) budget.charge(wanted.length);
  }
  const [from] = positions(1);
  if (method === "includes") return list.includes(wanted, from);
  if (method === "indexOf") return list.indexOf(wanted, from);
  return args.length > 1 ? list.lastIndexOf(wanted, from ?? 0) : list.lastIndexOf(wanted);
}
