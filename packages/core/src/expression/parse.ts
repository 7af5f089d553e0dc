import { parse } from "acorn";
import type { Node } from "acorn";
import { excerpt } from "../json/excerpt.ts";
import { EXPRESSION_MAX_UNITS } from "../limits.ts";
import type { Expression } from "./ast.ts";
import { Refusal, Translator } from "./translate.ts";

/** Why a text is no expression; `offset` is the place in it, in UTF-16 units. */
export type ExpressionProblem = { readonly message: string; readonly offset: number };

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/**
 * An expression of at most 1000 UTF-16 units in exactly the grammar of E-1; acorn reads it, an allow-list decides, and
 * what is returned is data of our own. Never throws, whatever the text.
 */
export function parseExpression(text: string): ParsedExpression {
  if (text.trim() === "") return refused("the expression is blank", 0);
  if (text.length > EXPRESSION_MAX_UNITS) {
    return refused(
      `the expression has ${text.length} characters, more than ${EXPRESSION_MAX_UNITS}`,
      EXPRESSION_MAX_UNITS,
    );
  }
  const read = onlyExpression(text);
  if ("problem" in read) return { ok: false, problem: read.problem };
  const translator = new Translator(text);
  try {
    const root = translator.translate(read.node);
    return { ok: true, expression: { text, names: [...translator.names], root } };
  } catch (caught) {
    if (caught instanceof Refusal) return refused(caught.message, caught.offset);
    throw caught;
  }
}

/** Acorn's tree of the one expression that the text must be: no statement, no semicolon, no comment. */
function onlyExpression(text: string): { node: Node } | { problem: ExpressionProblem } {
  const comments: number[] = [];
  try {
    const program = parse(text, {
      ecmaVersion: 2022,
      sourceType: "module",
      onComment: (_block, _text, start) => comments.push(start),
    });
    const [comment] = comments;
    if (comment !== undefined) return at("comments are not allowed", comment);
    const [statement, second] = program.body;
    if (statement?.type !== "ExpressionStatement")
      return at("only an expression is allowed, no statement", statement?.start ?? 0);
    if (second !== undefined) return at("only one expression is allowed", second.start);
    const end = text.trimEnd().length - 1;
    if (text.charAt(end) === ";") return at("only an expression is allowed, no semicolon", end);
    return { node: statement.expression };
  } catch (caught) {
    if (!(caught instanceof SyntaxError)) throw caught;
    const offset = "pos" in caught && typeof caught.pos === "number" ? caught.pos : 0;
    return at(syntaxMessage(caught.message, text, offset), offset);
  }
}

function syntaxMessage(message: string, text: string, offset: number): string {
  if (message.startsWith("Not enough stack")) return "the expression is nested too deeply";
  if (message.startsWith("Unexpected token"))
    return offset < text.length
      ? `unexpected ${excerpt(text.slice(offset), 20)}`
      : "the expression is not complete";
  const plain = message.replace(/ \(\d+:\d+\)$/, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

function at(message: string, offset: number): { problem: ExpressionProblem } {
  return { problem: { message, offset } };
}

function refused(message: string, offset: number): ParsedExpression {
  return { ok: false, problem: { message, offset } };
}
