import { quote } from "./strings.ts";

/**
 * `text` in double quotes with control characters escaped, its middle left out beyond `maxUnits` UTF-16 units: safe to
 * put into any message, however long or broken the text is.
 */
export function excerpt(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return quote(text);
  const half = Math.floor(maxUnits / 2);
  return `${quote(headOf(text, half))}…${quote(tailOf(text, half))}`;
}

/** The first `maxUnits` UTF-16 units of `text`, one less rather than half a surrogate pair. */
export function headOf(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const last = text.charCodeAt(maxUnits - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxUnits - 1 : maxUnits);
}

/** The last `maxUnits` UTF-16 units of `text`, one less rather than half a surrogate pair. */
export function tailOf(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const from = text.length - maxUnits;
  const first = text.charCodeAt(from);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? from + 1 : from);
}
