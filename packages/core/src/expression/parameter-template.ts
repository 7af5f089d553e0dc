/** A stretch of literal text, or the source of an expression between braces; `offset` counts UTF-16 units. */
export type ParameterPiece =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "expression"; readonly text: string; readonly offset: number };

/** Splits a parameter at its `{{…}}` (OP-5). Braces inside quotes do not end one; one without an end is literal text. */
export function splitParameter(text: string): ParameterPiece[] {
  const pieces: ParameterPiece[] = [];
  let from = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", from)) {
    const close = endOf(text, open + 2);
    if (close < 0) break;
    if (open > from) pieces.push({ kind: "literal", text: text.slice(from, open) });
    pieces.push({ kind: "expression", text: text.slice(open + 2, close), offset: open + 2 });
    from = close + 2;
  }
  if (from < text.length) pieces.push({ kind: "literal", text: text.slice(from) });
  return pieces;
}

/** Offset of the `}}` that ends the expression begun at `from`, or -1. */
function endOf(text: string, from: number): number {
  let quote = "";
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (quote !== "") {
      if (unit === "\\") at += 1;
      else if (unit === quote) quote = "";
    } else if (unit === '"' || unit === "'") quote = unit;
    else if (unit === "}" && text.charAt(at + 1) === "}") return at;
  }
  return -1;
}
