import { parseExpression } from "../../expression/parse.ts";
import { splitParameter } from "../../expression/parameter-template.ts";
import { readPath } from "../../expression/path.ts";
import { excerpt } from "../../json/excerpt.ts";
import { scan } from "../../json/scan.ts";
import { decodeString } from "../../json/strings.ts";
import * as T from "../../json/tokens.ts";
import { Tokens } from "../../json/tokens.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";

/** What an author wrote where expressions may stand: one expression, or parameters as JSON text with `{{…}}` in them. */
export type AuthoredExpression = {
  readonly field: string;
  readonly kind: "expression" | "parameters";
  readonly text: string;
};

/** Expressions outside the grammar of E-1, and names that no scope of the loop will have (E-3): D62. Without `names` only a run knows those. */
export function* expressionFindings(
  node: string,
  authored: Iterable<AuthoredExpression>,
  names: ReadonlySet<string> | null,
): Generator<Draft> {
  for (const { field, kind, text } of authored) {
    for (const source of kind === "expression" ? [text] : embeddedIn(text)) {
      const problem = problemOf(source, names);
      if (problem !== null)
        yield error(
          "D62",
          node,
          field,
          `\`${field}\` of \`${node}\`: the expression ${excerpt(source, 120)} is invalid, ${problem}. Correct it.`,
        );
    }
  }
}

function problemOf(source: string, names: ReadonlySet<string> | null): string | null {
  const parsed = parseExpression(source);
  if (!parsed.ok) return `${parsed.problem.message} (at character ${parsed.problem.offset + 1})`;
  if (names === null) return null;
  const unknown = parsed.expression.names.filter((name) => !names.has(name));
  if (unknown.length === 0) return null;
  return `${list(unknown, " and ")} ${unknown.length > 1 ? "are" : "is"} not known; known are ${list([...names])}`;
}

/** Sources of the `{{…}}` in every text of a JSON value but those that OP-5 takes otherwise; none in a broken one (D40). */
function* embeddedIn(json: string): Generator<string> {
  const scanned = scan(json);
  if (!scanned.ok) return;
  const tokens = new Tokens(scanned.text);
  for (let kind = tokens.next(); kind !== T.END; kind = tokens.next()) {
    if (kind !== T.STRING || scanned.text.charAt(tokens.end) === ":") continue;
    const text = decodeString(tokens.raw());
    if (text.startsWith("static:") || readPath(text) !== null) continue;
    for (const piece of splitParameter(text)) if (piece.kind === "expression") yield piece.text;
  }
}
