import { jsonValue } from "../json/value.ts";
import type { Arrow, Ast, Expression } from "./ast.ts";
import { Budget, Unevaluable } from "./budget.ts";
import { callGlobal } from "./globals.ts";
import { callMethod } from "./methods.ts";
import { binary, property } from "./operators.ts";
import { chargeWriting, isList, kindOf, toNumber } from "./values.ts";
import type { Value } from "./values.ts";

/** Name → exact JSON text of the value, which has passed the JSON policy. */
export type Scope = ReadonlyMap<string, string>;

/** Steps of one evaluation when nothing else is said: a state of 1 MiB can be written out once (E-2). */
export const EXPRESSION_MAX_STEPS = 2_000_000;

export type Evaluated =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

/**
 * The value of an expression, or why it has none (E-1, E-2). Values are parsed from the scope for this call alone, so
 * nothing it does or returns can reach the state. Own properties only; `maxSteps` bounds time and memory. Never throws.
 */
export function evaluate(
  expression: Expression,
  scope: Scope,
  { maxSteps = EXPRESSION_MAX_STEPS }: { readonly maxSteps?: number } = {},
): Evaluated {
  try {
    const evaluation = new Evaluation(scope, new Budget(maxSteps));
    const value = evaluation.run(expression.root);
    // A small value may hold another many times over; who writes it out must not pay for that.
    chargeWriting(value, new Budget(maxSteps));
    return { ok: true, value };
  } catch (caught) {
    if (caught instanceof Unevaluable) return { ok: false, reason: caught.message };
    throw caught;
  }
}

/** What `?.` gives inside its chain once it has met null or undefined. */
const SHORT = Symbol("short");

class Evaluation {
  readonly #scope: Scope;
  readonly #budget: Budget;
  readonly #parsed = new Map<string, Value>();
  /** Parameters of the arrow functions around, innermost last. */
  readonly #bound: [name: string, value: Value][] = [];

  constructor(scope: Scope, budget: Budget) {
    this.#scope = scope;
    this.#budget = budget;
  }

  run(ast: Ast): Value {
    const value = this.#step(ast);
    return value === SHORT ? undefined : value;
  }

  #step(ast: Ast): Value | typeof SHORT {
    this.#budget.charge(1);
    switch (ast.kind) {
      case "constant":
        return ast.value;
      case "name":
        return this.#name(ast.name);
      case "list":
        return ast.items.map((item) => this.run(item));
      case "chain":
        return this.run(ast.body);
      case "member": {
        const object = this.#object(ast);
        return object === SHORT ? SHORT : property(object, ast.key, ast.of);
      }
      case "method": {
        const object = this.#object(ast);
        if (object === SHORT) return SHORT;
        const args = ast.args.map((arg) => this.run(arg));
        return callMethod(object, ast.method, args, ast.of, this.#budget);
      }
      case "each": {
        const object = this.#object(ast);
        return object === SHORT ? SHORT : this.#each(object, ast);
      }
      case "global":
        return callGlobal(
          ast.name,
          ast.args.map((arg) => this.run(arg)),
          this.#budget,
        );
      case "unary":
        return ast.operator === "!" ? !this.run(ast.operand) : -toNumber(this.run(ast.operand), this.#budget);
      case "binary":
        return binary(ast.operator, this.run(ast.left), this.run(ast.right), this.#budget);
      case "logical":
        return this.#logical(ast);
      case "choice":
        return this.run(ast.test) ? this.run(ast.yes) : this.run(ast.no);
    }
  }

  #object(ast: Ast & { kind: "member" | "method" | "each" }): Value | typeof SHORT {
    const object = this.#step(ast.object);
    return ast.optional && (object === null || object === undefined) ? SHORT : object;
  }

  #name(name: string): Value {
    const bound = this.#bound.findLast(([known]) => known === name);
    if (bound !== undefined) return bound[1];
    if (this.#parsed.has(name)) return this.#parsed.get(name);
    const text = this.#scope.get(name);
    if (text === undefined)
      throw new Unevaluable(`${name} is not known; known are ${[...this.#scope.keys()].join(", ")}`);
    const value = jsonValue(text);
    this.#parsed.set(name, value);
    return value;
  }

  #logical({ operator, left, right }: Ast & { kind: "logical" }): Value {
    const value = this.run(left);
    if (operator === "&&") return value ? this.run(right) : value;
    if (operator === "||") return value ? value : this.run(right);
    return value ?? this.run(right);
  }

  #each(object: Value, { method, arrow, initial, of }: Ast & { kind: "each" }): Value {
    // JavaScript evaluates all arguments before the call fails, but none of them can have an effect.
    if (!isList(object)) throw new Unevaluable(`${of} is ${kindOf(object)}, which has no method ${method}`);
    switch (method) {
      case "some":
        return object.some((item, at) => this.#call(arrow, [item, at, object]));
      case "every":
        return object.every((item, at) => this.#call(arrow, [item, at, object]));
      case "find":
        return object.find((item, at) => this.#call(arrow, [item, at, object]));
      case "filter":
        return object.filter((item, at) => this.#call(arrow, [item, at, object]));
      case "map":
        return object.map((item, at) => this.#call(arrow, [item, at, object]));
      case "reduce": {
        const step = (before: Value, item: Value, at: number) =>
          this.#call(arrow, [before, item, at, object]);
        if (initial !== null) return object.reduce(step, this.run(initial));
        if (object.length === 0) throw new Unevaluable(`${of} is empty, so reduce needs a first value`);
        return object.reduce(step);
      }
    }
  }

  #call({ params, body }: Arrow, args: readonly Value[]): Value {
    this.#budget.charge(1 + params.length);
    const outside = this.#bound.length;
    params.forEach((name, at) => this.#bound.push([name, args[at]]));
    const value = this.run(body);
    this.#bound.length = outside;
    return value;
  }
}
