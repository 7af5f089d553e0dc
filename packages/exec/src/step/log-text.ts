/** Longest UTF-8 sequence minus one: how far back a cut can have split a character. */
const MAX_SPLIT_BYTES = 3;

/** Length of the UTF-8 sequence that a lead byte announces; 0 for a continuation byte. */
function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** End of the last whole character of bytes that were cut somewhere. */
function wholeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_SPLIT_BYTES, bytes.length); back += 1) {
    const needed = sequenceLength(bytes[bytes.length - back] ?? 0);
    if (needed > 0) return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/**
 * Log bytes as text that any store takes (L-47): what is not UTF-8 and every NUL become U+FFFD. `cut` says that more bytes
 * followed; then a character split by the cut is left out.
 */
export function logText(bytes: Uint8Array, cut: boolean): string {
  const whole = cut ? bytes.subarray(0, wholeEnd(bytes)) : bytes;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole).replaceAll("\0", "\uFFFD");
}
