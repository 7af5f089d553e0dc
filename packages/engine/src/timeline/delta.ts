import { ByteReader, ByteWriter } from "./bytes.ts";
import { difference } from "./difference.ts";
import type { Copy } from "./difference.ts";
import { packText, unpackText } from "./packed-text.ts";

/** What turns `before` into `after`: copies, and the text between them, compressed against the parts of `before` nobody copied. */
export async function makeDelta(before: string, after: string): Promise<Uint8Array> {
  const copies = difference(before, after);
  const writer = new ByteWriter().number(copies.length);
  let inserted = "";
  let at = 0;
  let from = 0;
  for (const copy of copies) {
    const jump = copy.from - from;
    writer.number(copy.at - at).number(jump < 0 ? -jump * 2 - 1 : jump * 2);
    writer.number(copy.length);
    inserted += after.slice(at, copy.at);
    at = copy.at + copy.length;
    from = copy.from + copy.length;
  }
  inserted += after.slice(at);
  return writer.bytes(await packText(inserted, leftOver(before, copies))).done();
}

/** The text that `makeDelta` was given as `after`. Throws when the delta is none of `before`. */
export function applyDelta(before: string, delta: Uint8Array): string {
  const reader = new ByteReader(delta);
  const count = reader.number();
  const written: { readonly insert: number; readonly copy: Copy }[] = [];
  let from = 0;
  for (let nth = 0; nth < count; nth += 1) {
    const insert = reader.number();
    const jump = reader.number();
    from += jump % 2 === 1 ? -(jump + 1) / 2 : jump / 2;
    const length = reader.number();
    written.push({ insert, copy: { at: 0, from, length } });
    from += length;
  }
  const copies = written.map(({ copy }) => copy);
  const inserted = unpackText(reader.rest(), leftOver(before, copies));
  const parts: string[] = [];
  let taken = 0;
  for (const { insert, copy } of written) {
    parts.push(inserted.slice(taken, taken + insert), before.slice(copy.from, copy.from + copy.length));
    taken += insert;
  }
  return parts.join("") + inserted.slice(taken);
}

/** What of `before` lies between the copies, in order: the best guess at what the inserted text looks like. */
function leftOver(before: string, copies: readonly Copy[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, length } of copies.toSorted((a, b) => a.from - b.from)) {
    if (from > end) parts.push(before.slice(end, from));
    end = Math.max(end, from + length);
  }
  return parts.join("") + before.slice(end);
}
