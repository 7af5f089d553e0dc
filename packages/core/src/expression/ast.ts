import type { Callback, Method } from "./allowed.ts";

export type BinaryOperator =
  | "=="
  | "!="
  | "==="
  | "!=="
  | "<"
  | "<="
  | ">"
  | ">="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";
export type LogicalOperator = "&&" | "||" | "??";
export type Constant = string | number | boolean | null | undefined;

/** An arrow function; it exists only as the argument of a callback method and is never a value. */
export type Arrow = { readonly params: readonly string[]; readonly body: Ast };

/**
 * The allowed grammar (E-1) as data. `of` is the source text of the object, for messages. A `chain` is where `?.` stops
 * when it has met null or undefined.
 */
export type Ast =
  | { readonly kind: "constant"; readonly value: Constant }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Ast[] }
  | { readonly kind: "chain"; readonly body: Ast }
  | {
      readonly kind: "member";
      readonly object: Ast;
      readonly of: string;
      readonly optional: boolean;
      readonly key: string;
    }
  | {
      readonly kind: "method";
      readonly object: Ast;
      readonly of: string;
      readonly optional: boolean;
      readonly method: Method;
      readonly args: readonly Ast[];
    }
  | {
      readonly kind: "each";
      readonly object: Ast;
      readonly of: string;
      readonly optional: boolean;
      readonly method: Callback;
      readonly arrow: Arrow;
      readonly initial: Ast | null;
    }
  | { readonly kind: "global"; readonly name: string; readonly args: readonly Ast[] }
  | { readonly kind: "unary"; readonly operator: "!" | "-"; readonly operand: Ast }
  | { readonly kind: "binary"; readonly operator: BinaryOperator; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "logical"; readonly operator: LogicalOperator; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "choice"; readonly test: Ast; readonly yes: Ast; readonly no: Ast };

/** An expression that `parseExpression` has passed. */
export type Expression = {
  readonly text: string;
  /** Names that a scope must have, each once. */
  readonly names: readonly string[];
  readonly root: Ast;
};
