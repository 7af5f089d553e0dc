import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";

/** Shorter texts are stored as they are: setting the compressor up costs more than it saves. */
const COMPRESS_MIN_BYTES = 200;
/** Longer ones are compressed beside the event loop. */
const ASIDE_MIN_BYTES = 65_536;
/** How far back the compression looks; more of a dictionary is never read. */
const WINDOW_BYTES = 32_768;

const WIDE = 1;
const DEFLATED = 2;

const deflateAside = promisify(deflateRaw);

/**
 * A text as bytes, one flag byte first: one byte per unit where all fit, else two, so that any text comes back exactly, halves of
 * surrogate pairs too; compressed against `dictionary`, the text it resembles, where that saves bytes.
 */
export function packText(text: string, dictionary: string): Uint8Array | Promise<Uint8Array> {
  const wide = isWide(text) || isWide(dictionary.slice(-WINDOW_BYTES));
  const plain = encode(text, wide);
  if (plain.length < COMPRESS_MIN_BYTES) return withFlags(wide ? WIDE : 0, plain);
  const options = { level: 1, ...dictionaryOption(dictionary, wide) };
  const chosen = (deflated: Uint8Array) =>
    deflated.length < plain.length
      ? withFlags(DEFLATED + (wide ? WIDE : 0), deflated)
      : withFlags(wide ? WIDE : 0, plain);
  if (plain.length < ASIDE_MIN_BYTES) return chosen(deflateRawSync(plain, options));
  return deflateAside(plain, options).then(chosen);
}

/** The text that `packText` packed with the same dictionary. */
export function unpackText(packed: Uint8Array, dictionary: string): string {
  const flags = packed[0];
  if (flags === undefined) throw new Error("a stored state difference is cut off");
  const wide = flags % 2 === WIDE;
  const body = packed.subarray(1);
  const plain = flags >= DEFLATED ? inflateRawSync(body, dictionaryOption(dictionary, wide)) : body;
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString(wide ? "utf16le" : "latin1");
}

function dictionaryOption(dictionary: string, wide: boolean): { dictionary?: Uint8Array } {
  const bytes = encode(dictionary.slice(wide ? -WINDOW_BYTES / 2 : -WINDOW_BYTES), wide);
  return bytes.length === 0 ? {} : { dictionary: bytes };
}

function encode(text: string, wide: boolean): Uint8Array {
  return Buffer.from(text, wide ? "utf16le" : "latin1");
}

function isWide(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

function withFlags(flags: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(flags), body]);
}
