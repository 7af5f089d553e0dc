/** One word of any POSIX shell that stands for exactly `value`, newlines included. A NUL cannot be carried and is the caller's to refuse. */
export function quoteWord(value: string): string {
  return `'${escapeSingle(value)}'`;
}

/** `value` for a place inside '…': the quote is left, a quoted quote written, and the quote opened again. */
export function escapeSingle(value: string): string {
  return value.replaceAll("'", `'\\''`);
}

/** `value` for a place inside "…": only $ ` " and \ are special there; `!` is not, outside interactive shells. */
export function escapeDouble(value: string): string {
  return value.replaceAll(/[$`"\\]/g, String.raw`\$&`);
}
