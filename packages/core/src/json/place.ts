import { headOf, tailOf } from "./excerpt.ts";
import { decodeString } from "./strings.ts";

/** Up to here comparing with each key is faster than a Set. */
const FEW_KEYS = 8;
/** Longest path shown in full, in UTF-16 units. */
const PATH_LIMIT = 240;
const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/**
 * Where a scan is: the open containers with their current key or index, and the keys seen in each open object. Knows
 * duplicates (L-45) and can name the place as a path.
 */
export class JsonPlace {
  readonly #text: string;
  /** Per open container: index of the current element, or -1 for an object. */
  readonly #indexes: number[] = [];
  /** Per open container: where its keys begin in `#keys`, and its Set once there are many. */
  readonly #firstKeys: number[] = [];
  readonly #sets: (Set<string> | null)[] = [];
  readonly #keys: string[] = [];
  depth = 0;
  inObject = false;

  constructor(text: string) {
    this.#text = text;
  }

  open(isObject: boolean): void {
    this.#indexes.push(isObject ? -2 : -1);
    this.#firstKeys.push(this.#keys.length);
    this.#sets.push(null);
    this.depth += 1;
    this.inObject = isObject;
  }

  close(): void {
    this.#indexes.pop();
    this.#keys.length = this.#firstKeys.pop() ?? 0;
    this.#sets.pop();
    this.depth -= 1;
    this.inObject = this.depth > 0 && this.#indexes[this.depth - 1] === -2;
  }

  element(): void {
    const top = this.depth - 1;
    this.#indexes[top] = (this.#indexes[top] ?? -1) + 1;
  }

  /** Enters the member whose key token lies at [start, end); false when its object has that key already. */
  key(start: number, end: number, escaped: boolean): boolean {
    // The opening quote stays: texts like "123" hash by value, so that many of them could be made to collide.
    const key = escaped ? `"${decodeString(this.#text.slice(start, end))}` : this.#text.slice(start, end - 1);
    const top = this.depth - 1;
    const first = this.#firstKeys[top] ?? 0;
    const isNew = this.#isNew(key, top, first);
    this.#keys.push(key);
    return isNew;
  }

  #isNew(key: string, top: number, first: number): boolean {
    let set = this.#sets[top] ?? null;
    if (set === null) {
      if (this.#keys.length - first < FEW_KEYS) return !this.#keys.includes(key, first);
      set = new Set(this.#keys.slice(first));
      this.#sets[top] = set;
    }
    const before = set.size;
    return set.add(key).size > before;
  }

  /** `$.a[3]["odd key"]`; the middle of a very long path is left out. */
  path(): string {
    let path = "$";
    for (let level = 0; level < this.depth; level += 1) {
      const index = this.#indexes[level] ?? -1;
      if (index >= 0) path += `[${index}]`;
      else if (index === -2) path += this.#keyStep(level);
    }
    if (path.length <= PATH_LIMIT) return path;
    return `${headOf(path, PATH_LIMIT / 2)}…${tailOf(path, PATH_LIMIT / 2)}`;
  }

  #keyStep(level: number): string {
    const next = this.#firstKeys[level + 1] ?? this.#keys.length;
    if (next === this.#firstKeys[level]) return "";
    const key = (this.#keys[next - 1] ?? "").slice(1);
    return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  }
}
