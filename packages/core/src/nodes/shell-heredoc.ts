/** A here-document whose body begins at the next newline. */
export type Heredoc = { readonly delimiter: string; readonly quoted: boolean; readonly stripTabs: boolean };

const OPERATOR =
  /<<(-?)[ \t]*(?:'([A-Za-z0-9_]+)'|"([A-Za-z0-9_]+)"|(\\?)([A-Za-z0-9_]+))(?=[ \t\n;|&()<>]|$)/y;

/** Reads `<<WORD` at `at`; null when the word is not plain enough to be sure how a shell reads it. */
export function readHeredoc(
  code: string,
  at: number,
): { readonly heredoc: Heredoc; readonly end: number } | null {
  OPERATOR.lastIndex = at;
  const found = OPERATOR.exec(code);
  if (!found) return null;
  const [whole, dash, single, double, backslash, plain] = found;
  const heredoc = {
    delimiter: single ?? double ?? plain ?? "",
    quoted: plain === undefined || backslash !== "",
    stripTabs: dash === "-",
  };
  return { heredoc, end: at + whole.length };
}

/** Where the body that begins at `from` ends, its last line included; `sure` is false when something in it may hide that line. */
export function heredocEnd(
  code: string,
  from: number,
  { delimiter, quoted, stripTabs }: Heredoc,
): { readonly end: number; readonly sure: boolean } {
  let at = from;
  while (at < code.length) {
    const newline = code.indexOf("\n", at);
    const lineEnd = newline < 0 ? code.length : newline;
    const line = code.slice(at, lineEnd);
    at = Math.min(lineEnd + 1, code.length);
    if ((stripTabs ? line.replace(/^\t+/, "") : line) === delimiter) return { end: at, sure: true };
    if (!quoted && mayRunOn(line)) return { end: at, sure: false };
  }
  return { end: at, sure: true };
}

/** Substitutions and continuations in an unquoted body may reach over the line that would end it. */
function mayRunOn(line: string): boolean {
  return /`|\\$|\$[([]/.test(line) || line.replaceAll(/\$\{[A-Za-z0-9_]*\}/g, "").includes("${");
}
