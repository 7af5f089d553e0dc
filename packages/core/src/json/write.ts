import { quote } from "./strings.ts";

/** Object text from keys and values that are JSON texts already; the order is kept, keys must be distinct. */
export function objectText(entries: Iterable<readonly [key: string, rawJson: string]>): string {
  let text = "";
  for (const [key, rawJson] of entries) {
    text += `${text === "" ? "" : ","}${quote(key)}:${rawJson}`;
  }
  return `{${text}}`;
}

/** Array text from elements that are JSON texts already. */
export function arrayText(rawJson: Iterable<string>): string {
  return `[${[...rawJson].join(",")}]`;
}
