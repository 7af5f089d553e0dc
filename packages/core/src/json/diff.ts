import { elements, members } from "./members.ts";
import { quote } from "./strings.ts";

/** One operation of a JSON patch; `value` is exact JSON text, null for `remove`. */
type Operation = {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value: string | null;
};

/** Objects and arrays deeper than this are replaced whole: each level reads its text once more. */
const DEPTH_MAX = 24;
/** About what the words of one operation take, in UTF-16 units. */
const OPERATION_UNITS = 30;
/** A patch of this size says more than the whole part would, whatever that takes. */
const SMALL_UNITS = 1000;

/**
 * The JSON patch (RFC 6902) that turns one text into the other, both passed by `scan`: a JSON array text. Values are compared by
 * their exact texts and kept in their spelling (L-46), which no patch of parsed values could. An array is compared from both
 * ends, what is between is replaced in order. Never much longer than the new text: where the operations would be, the part is replaced whole.
 */
export function jsonDiff(before: string, after: string): string {
  const operations = compare("", before, after, 0);
  return `[${operations.map(operationText).join(",")}]`;
}

function compare(path: string, before: string, after: string, depth: number): Operation[] {
  if (before === after) return [];
  const replaced: Operation[] = [{ op: "replace", path, value: after }];
  const kind = after[0];
  if (kind !== before[0] || depth >= DEPTH_MAX || (kind !== "{" && kind !== "[")) return replaced;
  const inside =
    kind === "{" ? compareObjects(path, before, after, depth) : compareArrays(path, before, after, depth);
  return sizeOf(inside) > Math.max(sizeOf(replaced), SMALL_UNITS) ? replaced : inside;
}

function compareObjects(path: string, before: string, after: string, depth: number): Operation[] {
  const [old, now] = [members(before), members(after)];
  const operations: Operation[] = [];
  for (const key of old.keys())
    if (!now.has(key)) operations.push({ op: "remove", path: step(path, key), value: null });
  for (const [key, value] of now) {
    const earlier = old.get(key);
    if (earlier === undefined) operations.push({ op: "add", path: step(path, key), value });
    else operations.push(...compare(step(path, key), earlier, value, depth + 1));
  }
  return operations;
}

function compareArrays(path: string, before: string, after: string, depth: number): Operation[] {
  const [old, now] = [elements(before), elements(after)];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [oldEnd, newEnd] = [old.length - tail, now.length - tail];
  const both = Math.min(oldEnd, newEnd);
  const operations: Operation[] = [];
  for (let at = head; at < both; at += 1)
    operations.push(...compare(`${path}/${at}`, old[at]!, now[at]!, depth + 1));
  for (let at = oldEnd - 1; at >= both; at -= 1)
    operations.push({ op: "remove", path: `${path}/${at}`, value: null });
  for (let at = both; at < newEnd; at += 1)
    operations.push({ op: "add", path: `${path}/${at}`, value: now[at]! });
  return operations;
}

function step(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function sizeOf(operations: readonly Operation[]): number {
  return operations.reduce(
    (sum, { path, value }) => sum + OPERATION_UNITS + path.length + (value?.length ?? 0),
    0,
  );
}

function operationText({ op, path, value }: Operation): string {
  return `{"op":"${op}","path":${quote(path)}${value === null ? "" : `,"value":${value}`}}`;
}
