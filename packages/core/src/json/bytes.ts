/** The part of the Encoding standard that every runtime of this package has; the compiler knows no runtime here. */
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal?: boolean; readonly ignoreBOM?: boolean },
) => { decode(bytes: Uint8Array): string };

const LONE_SURROGATE = /[\ud800-\udfff]/u;
// oxlint-disable-next-line no-control-regex
const UNSTORABLE = /[\0\ud800-\udfff]/gu;

/** UTF-8 size of `text` in bytes; a lone surrogate counts 3, as the U+FFFD an encoder would write. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
      continue;
    }
    bytes += 2;
    // The low half of a pair is counted with its high half: 2 units, 4 bytes.
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at += 1;
  }
  return bytes;
}

/** Whether every surrogate in `text` is one of a pair, so that UTF-8 can hold the text. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Strict UTF-8; null when `bytes` are not. One byte-order mark in front is dropped (L-26). */
export function decodeUtf8Strict(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Log text fit for storage (L-47): NUL, broken bytes and lone surrogates become U+FFFD; of a longer text the head or
 * tail is kept, at most `maxBytes` of UTF-8, cut between characters.
 */
export function sanitiseLog(log: string | Uint8Array, maxBytes: number, keep: "head" | "tail"): string {
  const text = typeof log === "string" ? log : new TextDecoder("utf-8", { ignoreBOM: true }).decode(log);
  const clean = text.replace(UNSTORABLE, "\ufffd");
  return keep === "head" ? headOf(clean, maxBytes) : tailOf(clean, maxBytes);
}

function headOf(text: string, maxBytes: number): string {
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const units = isHigh(text.charCodeAt(at)) ? 2 : 1;
    bytes += utf8Length(text.slice(at, at + units));
    if (bytes > maxBytes) return text.slice(0, at);
    at += units;
  }
  return text;
}

function tailOf(text: string, maxBytes: number): string {
  let bytes = 0;
  for (let at = text.length; at > 0;) {
    const from = isLow(text.charCodeAt(at - 1)) ? at - 2 : at - 1;
    bytes += utf8Length(text.slice(from, at));
    if (bytes > maxBytes) return text.slice(at);
    at = from;
  }
  return text;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
