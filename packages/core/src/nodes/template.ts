/** A stretch of literal characters, or a placeholder; `offset` is its place in the stored text, in UTF-16 units. */
export type TemplatePiece =
  | { readonly kind: "literal"; readonly text: string; readonly offset: number }
  | { readonly kind: "placeholder"; readonly name: string; readonly offset: number };

/** The lookbehind keeps a long run of dollars from being tried again at each of them. */
const DOLLARS_AND_NAME = /(?<!\$)(\$+)\{([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)\}/gu;

/**
 * Splits the stored text of a command or prompt (F-22). `${name}` is a placeholder; before `{name}` each `$$` stands for one
 * literal `$`, so `$${name}` is the text `${name}` and `$$${name}` a `$` followed by the placeholder. All else is literal.
 */
export function splitTemplate(text: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let from = 0;
  const literal = (added: string, offset: number) => {
    const last = pieces.at(-1);
    if (last?.kind === "literal") pieces[pieces.length - 1] = { ...last, text: last.text + added };
    else if (added !== "") pieces.push({ kind: "literal", text: added, offset });
  };
  for (const match of text.matchAll(DOLLARS_AND_NAME)) {
    const [whole, dollars = "", name = ""] = match;
    literal(text.slice(from, match.index), from);
    literal("$".repeat(Math.floor(dollars.length / 2)), match.index);
    if (dollars.length % 2 === 0) literal(`{${name}}`, match.index + dollars.length);
    else pieces.push({ kind: "placeholder", name, offset: match.index + dollars.length - 1 });
    from = match.index + whole.length;
  }
  literal(text.slice(from), from);
  return pieces;
}

/** The stored text of pieces: what `splitTemplate` splits into them again. Adjacent literals count as one. */
export function joinTemplate(
  pieces: readonly ({ kind: "literal"; text: string } | { kind: "placeholder"; name: string })[],
): string {
  let text = "";
  let literal = "";
  for (const piece of pieces) {
    if (piece.kind === "literal") {
      literal += piece.text;
      continue;
    }
    text += `${escapeLiteral(literal)}${"$".repeat(trailingDollars(literal))}\${${piece.name}}`;
    literal = "";
  }
  return text + escapeLiteral(literal);
}

/** Doubles the dollars that stand before `{name}`, so that the literal text stays literal when it is split. */
function escapeLiteral(literal: string): string {
  return literal.replace(
    DOLLARS_AND_NAME,
    (_whole, dollars: string, name: string) => `${dollars}${dollars}{${name}}`,
  );
}

function trailingDollars(text: string): number {
  let count = 0;
  while (text.charAt(text.length - 1 - count) === "$") count += 1;
  return count;
}
