// Reads one record at a time from a CSV file by its byte offset, so that an import can go on anywhere.
import { closeSync, openSync, readSync } from "node:fs";

/** No record is longer; one that seems to be has a quote that is never closed. */
const RECORD_MAX_BYTES = 64 * 1024;

const [LF, CR, QUOTE, COMMA, SPACE] = [0x0a, 0x0d, 0x22, 0x2c, 0x20];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What windows-1252 has in the place of the control characters 0x80 to 0x9f. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * The record that begins at byte `at`, lines without any field skipped; null at the end of the file.
 * `line` is the line of `at`, counted from 1. `broken` says why the fields cannot be trusted.
 */
export function readRecord(file, at, line) {
  const bytes = readBytes(file, at);
  let start = at === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  let firstLine = line;
  while (start < bytes.length) {
    const end = lineEnd(bytes, start);
    if (!isBlank(bytes, start, end)) break;
    start = end;
    firstLine += 1;
  }
  const cut = bytes.length === RECORD_MAX_BYTES;
  if (start >= bytes.length) return cut ? readRecord(file, at + start, firstLine) : null;

  const record = split(bytes, start) ?? splitLine(bytes, start);
  if (cut && record.end === bytes.length) {
    if (start > 0) return readRecord(file, at + start, firstLine);
    throw new Error(`the record in line ${firstLine} is longer than ${RECORD_MAX_BYTES} bytes`);
  }
  return {
    fields: record.fields.map(decode),
    broken: record.broken,
    at: at + start,
    line: firstLine,
    next: at + record.end,
    nextLine: firstLine + countLines(bytes, start, record.end),
  };
}

function readBytes(file, at) {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(RECORD_MAX_BYTES);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, RECORD_MAX_BYTES, at));
  } finally {
    closeSync(descriptor);
  }
}

/** Fields by the rules of RFC 4180, spaces around quotes allowed; null when the quotes do not match. */
function split(bytes, start) {
  const fields = [];
  let at = start;
  for (;;) {
    const from = skipSpaces(bytes, at);
    const field = bytes[from] === QUOTE ? quoted(bytes, from) : plain(bytes, at);
    if (field === null) return null;
    fields.push(field.value);
    at = skipSpaces(bytes, field.end);
    if (bytes[at] === COMMA) at += 1;
    else if (at >= bytes.length) return { fields, end: at, broken: null };
    else if (bytes[at] === LF) return { fields, end: at + 1, broken: null };
    else if (bytes[at] === CR && bytes[at + 1] === LF) return { fields, end: at + 2, broken: null };
    else return null;
  }
}

function plain(bytes, start) {
  let end = start;
  while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== LF) end += 1;
  if (bytes[end] === LF && end > start && bytes[end - 1] === CR) end -= 1;
  return { value: bytes.subarray(start, end), end };
}

function quoted(bytes, quote) {
  const parts = [];
  let from = quote + 1;
  for (;;) {
    const end = bytes.indexOf(QUOTE, from);
    if (end < 0) return null;
    const doubled = bytes[end + 1] === QUOTE;
    parts.push(bytes.subarray(from, doubled ? end + 1 : end));
    if (!doubled) return { value: Buffer.concat(parts), end: end + 1 };
    from = end + 2;
  }
}

/** A record whose quotes do not match is one line, so that it cannot take the records after it along. */
function splitLine(bytes, start) {
  const end = lineEnd(bytes, start);
  return { fields: [bytes.subarray(start, end)], end, broken: "its quotes do not match" };
}

function lineEnd(bytes, start) {
  const end = bytes.indexOf(LF, start);
  return end < 0 ? bytes.length : end + 1;
}

function isBlank(bytes, start, end) {
  return bytes.subarray(start, end).every((byte) => byte === SPACE || byte === CR || byte === LF);
}

function skipSpaces(bytes, start) {
  let at = start;
  while (bytes[at] === SPACE) at += 1;
  return at;
}

function countLines(bytes, start, end) {
  let lines = 0;
  for (let at = start; at < end; at += 1) if (bytes[at] === LF) lines += 1;
  return lines;
}

/** UTF-8, else windows-1252: files that grew over the years hold both. */
function decode(bytes) {
  let text;
  let repaired = false;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = fromWindows1252(bytes);
    repaired = true;
  }
  const once = undoDoubleEncoding(text);
  return { text: (once ?? text).trim(), repaired: repaired || once !== null };
}

function fromWindows1252(bytes) {
  return bytes
    .toString("latin1")
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]);
}

/** "JosÃ©" is "José" that was taken for windows-1252 once; null for every other text. */
function undoDoubleEncoding(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return null;
  const bytes = [];
  for (const character of text) {
    const place = WINDOWS_1252.indexOf(character);
    const code = place < 0 ? character.charCodeAt(0) : 0x80 + place;
    if (code > 0xff) return null;
    bytes.push(code);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}
