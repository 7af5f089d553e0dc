import type {
  ArrowFunctionExpression,
  CallExpression,
  Expression,
  Literal,
  MemberExpression,
  Node,
} from "acorn";
import { excerpt } from "../json/excerpt.ts";
import { CALLBACKS, CONSTANTS, FORBIDDEN, GLOBALS, METHODS, RESERVED } from "./allowed.ts";
import type { Arrow, Ast, BinaryOperator, LogicalOperator } from "./ast.ts";

/** Deeper trees are refused, so that walking one never runs out of stack. */
const MAX_DEPTH = 200;
const BINARY: ReadonlySet<string> = new Set<BinaryOperator>([
  "==",
  "!=",
  "===",
  "!==",
  "<",
  "<=",
  ">",
  ">=",
  "+",
  "-",
  "*",
  "/",
  "%",
]);

/** Thrown inside parsing only, to leave the walk at the first thing that is not allowed. */
export class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** From acorn's tree to ours: every kind of node that is not named here is refused (E-1). */
export class Translator {
  /** Free names met so far. */
  readonly names = new Set<string>();
  readonly #text: string;
  #bound: readonly string[] = [];
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  translate(node: Node): Ast {
    if (this.#depth >= MAX_DEPTH) throw new Refusal("the expression is nested too deeply", node.start);
    this.#depth += 1;
    // Whatever else acorn may hand over falls into the default of the switch.
    const made = this.#ast(node as Expression);
    this.#depth -= 1;
    return made;
  }

  #ast(node: Expression): Ast {
    switch (node.type) {
      case "Literal":
        return { kind: "constant", value: this.#constant(node) };
      case "Identifier":
        return this.#name(this.#plainName(node));
      case "MemberExpression":
        return this.#member(node);
      case "CallExpression":
        return this.#call(node);
      case "ChainExpression":
        return { kind: "chain", body: this.translate(node.expression) };
      case "ArrayExpression":
        return { kind: "list", items: node.elements.map((item) => this.#item(item, node)) };
      case "UnaryExpression":
        if (node.operator !== "!" && node.operator !== "-")
          throw notAllowed(`operator ${node.operator}`, node);
        return { kind: "unary", operator: node.operator, operand: this.translate(node.argument) };
      case "BinaryExpression":
        if (!BINARY.has(node.operator)) throw notAllowed(`operator ${node.operator}`, node);
        return {
          kind: "binary",
          operator: node.operator as BinaryOperator,
          left: this.translate(node.left),
          right: this.translate(node.right),
        };
      case "LogicalExpression":
        return {
          kind: "logical",
          operator: node.operator satisfies LogicalOperator,
          left: this.translate(node.left),
          right: this.translate(node.right),
        };
      case "ConditionalExpression":
        return {
          kind: "choice",
          test: this.translate(node.test),
          yes: this.translate(node.consequent),
          no: this.translate(node.alternate),
        };
      case "ArrowFunctionExpression":
        throw new Refusal(
          `a function is allowed only as the argument of ${Object.keys(CALLBACKS).join(", ")}`,
          node.start,
        );
      default:
        throw notAllowed(KINDS[node.type] ?? node.type, node);
    }
  }

  #item(item: Node | null, list: Node): Ast {
    if (item === null) throw new Refusal("a list may have no gaps", list.start);
    return this.translate(item);
  }

  #constant({ value, bigint, regex, start }: Literal): string | number | boolean | null {
    if (regex !== undefined && regex !== null)
      throw new Refusal("regular expressions are not allowed", start);
    if ((bigint !== undefined && bigint !== null) || typeof value === "bigint")
      throw new Refusal("big integers are not allowed", start);
    if (value instanceof RegExp || value === undefined)
      throw new Refusal("this literal is not allowed", start);
    return value;
  }

  #name(name: string): Ast {
    if (this.#bound.includes(name)) return { kind: "name", name };
    if (name === "undefined") return { kind: "constant", value: undefined };
    this.names.add(name);
    return { kind: "name", name };
  }

  /** The name itself; escapes in names are refused, and so is a global function that is not called. */
  #plainName({ name, start, end }: Node & { name: string }, asGlobal = false): string {
    if (FORBIDDEN.has(name)) throw new Refusal(`${name} is not allowed`, start);
    if (this.#text.slice(start, end) !== name) throw new Refusal("escapes in names are not allowed", start);
    if (!asGlobal && RESERVED.has(name) && name !== "undefined")
      throw new Refusal(`${name} is allowed only as in ${EXAMPLES[name] ?? `${name}(x)`}`, start);
    return name;
  }

  /** The key of `a.key`, `a["key"]` or `a[0]`. */
  #key({ computed, property }: MemberExpression): string {
    if (!computed) {
      if (property.type !== "Identifier") throw notAllowed("a private name", property);
      return this.#plainName(property, true);
    }
    const value = property.type === "Literal" ? this.#constant(property) : null;
    if (typeof value !== "string" && typeof value !== "number")
      throw new Refusal("in brackets only a text or number literal is allowed", property.start);
    const key = String(value);
    if (FORBIDDEN.has(key)) throw new Refusal(`${key} is not allowed`, property.start);
    return key;
  }

  #member(node: MemberExpression): Ast {
    const key = this.#key(node);
    const full = this.#globalName(node, key);
    if (full !== null) {
      const value = CONSTANTS.get(full);
      if (value !== undefined) return { kind: "constant", value };
      throw new Refusal(GLOBALS.has(full) ? `${full} must be called` : `${full} is not allowed`, node.start);
    }
    return { kind: "member", ...this.#object(node), key };
  }

  /** `Math.max` and the like, or null when the object is a value. */
  #globalName({ object, computed, optional }: MemberExpression, key: string): string | null {
    if (object.type !== "Identifier" || object.name === "undefined" || !RESERVED.has(object.name))
      return null;
    this.#plainName(object, true);
    if (computed || optional) throw new Refusal(`write ${object.name}.${key} with a plain dot`, object.start);
    return `${object.name}.${key}`;
  }

  #object({ object, optional }: MemberExpression): { object: Ast; of: string; optional: boolean } {
    const of = excerpt(this.#text.slice(object.start, object.end), 60).slice(1, -1);
    return { object: this.translate(object), of, optional };
  }

  #call(node: CallExpression): Ast {
    const { callee, optional } = node;
    if (optional) throw new Refusal("?.( is not allowed", node.start);
    if (callee.type === "Identifier") {
      const name = this.#plainName(callee, true);
      return this.#global(name, node);
    }
    if (callee.type !== "MemberExpression")
      throw new Refusal("only named functions may be called", node.start);
    const key = this.#key(callee);
    if (callee.computed) throw new Refusal("call a method by its name after a dot", callee.start);
    const full = this.#globalName(callee, key);
    if (full !== null) return this.#global(full, node);
    if (Object.hasOwn(CALLBACKS, key)) return this.#each(key as keyof typeof CALLBACKS, callee, node);
    if (!Object.hasOwn(METHODS, key))
      throw new Refusal(`${key} is not a method that may be called`, callee.property.start);
    const method = key as keyof typeof METHODS;
    return { kind: "method", ...this.#object(callee), method, args: this.#args(key, METHODS[method], node) };
  }

  #global(name: string, node: CallExpression): Ast {
    const arity = GLOBALS.get(name);
    if (arity === undefined) throw new Refusal(`${name} is not a function that may be called`, node.start);
    return { kind: "global", name, args: this.#args(name, arity, node) };
  }

  #args(name: string, [least, most]: readonly [number, number], node: CallExpression): Ast[] {
    const count = node.arguments.length;
    if (count < least || count > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      throw new Refusal(`${name} takes ${wanted} arguments, not ${count}`, node.start);
    }
    return node.arguments.map((argument) => this.translate(argument));
  }

  #each(method: keyof typeof CALLBACKS, callee: MemberExpression, node: CallExpression): Ast {
    const [most, more] = CALLBACKS[method];
    const [first, second, extra] = node.arguments;
    if (
      first?.type !== "ArrowFunctionExpression" ||
      extra !== undefined ||
      (second !== undefined && more === 0)
    ) {
      const rest = more === 0 ? "" : " and at most a first value";
      throw new Refusal(`${method} takes one arrow function${rest}`, node.start);
    }
    const object = this.#object(callee);
    const initial = second === undefined ? null : this.translate(second);
    return { kind: "each", ...object, method, arrow: this.#arrow(first, most), initial };
  }

  #arrow(node: ArrowFunctionExpression, most: number): Arrow {
    if (node.async || node.body.type === "BlockStatement")
      throw new Refusal("an arrow function must have an expression as its body", node.start);
    if (node.params.length > most)
      throw new Refusal(`this arrow function takes at most ${most} parameters`, node.start);
    const params = node.params.map((param) => {
      if (param.type !== "Identifier") throw new Refusal("a parameter must be a plain name", param.start);
      const name = this.#plainName(param);
      if (RESERVED.has(name)) throw new Refusal(`${name} cannot be a parameter`, param.start);
      return name;
    });
    const outer = this.#bound;
    this.#bound = [...outer, ...params];
    const body = this.translate(node.body);
    this.#bound = outer;
    return { params, body };
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  Math: "Math.max(a, b)",
  JSON: "JSON.parse(text)",
  Object: "Object.keys(a)",
  Array: "Array.isArray(a)",
};

/** How refused syntax is called in a message. */
const KINDS: Readonly<Record<string, string>> = {
  AssignmentExpression: "assignment",
  UpdateExpression: "++ and --",
  ObjectExpression: "an object literal",
  TemplateLiteral: "a template literal",
  TaggedTemplateExpression: "a template literal",
  FunctionExpression: "function",
  ClassExpression: "class",
  NewExpression: "new",
  ThisExpression: "this",
  Super: "super",
  SequenceExpression: "a comma between expressions",
  SpreadElement: "...",
  AwaitExpression: "await",
  YieldExpression: "yield",
  ImportExpression: "import",
  MetaProperty: "import.meta",
};

function notAllowed(what: string, { start }: Node): Refusal {
  return new Refusal(`${what} is not allowed`, start);
}
