import { stripVTControlCharacters } from "node:util";

/** Control characters but tab and line feed, and those that turn the direction of text around. */
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that can do nothing to a terminal but show characters (S-21); lines stay lines. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(UNSEEN, "");
}

/** The text on one line, at most `max` characters long. */
export function oneLine(text: string, max: number): string {
  const characters = [...plain(text).replace(/\s+/g, " ").trim()];
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}

/** The same JSON value in characters that a terminal shows; JSON escapes only part of the control characters by itself. */
export function plainJson(json: string): string {
  return json.replace(/[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}

/** `3 errors`, `1 error`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Rows as columns of equal width; the last one is left ragged. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
  return rows.map(line).join("\n");
}
