import { JSON_MAX_DEPTH } from "../limits.ts";
import { excerpt } from "./excerpt.ts";
import { numberProblem } from "./number.ts";
import { JsonPlace } from "./place.ts";
import * as T from "./tokens.ts";
import { Tokens } from "./tokens.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

export type ScanErrorCode =
  | "json_syntax"
  | "number_not_exact"
  | "duplicate_key"
  | "state_too_deep"
  | "state_too_large";

export interface ScanError {
  readonly code: ScanErrorCode;
  /** Where in the value, as `$.a[3]`, shortened when very long. */
  readonly path: string;
  /** UTF-16 offset in the scanned text. */
  readonly position: number;
  readonly message: string;
}

export interface ScannedJson {
  readonly ok: true;
  /** The producer's tokens without the white space between them. */
  readonly text: string;
  /** UTF-8 size of `text`. */
  readonly bytes: number;
  readonly kind: JsonKind;
  /** Deepest nesting; 0 for a scalar. */
  readonly depth: number;
}

export type ScanResult = ScannedJson | { readonly ok: false; readonly error: ScanError };

export interface ScanOptions {
  /** Levels of nesting that stand around the values the policy's depth of 512 is meant for, such as a request body's. */
  readonly envelope?: number;
  /** UTF-8 bytes allowed for the compact text; more is `state_too_large`. */
  readonly maxBytes?: number;
}

/**
 * The whole JSON policy (L-45, L-46) in one pass over `text`, without recursion: exactly one JSON value, kept token for
 * token. Refusals are values; the first one met is reported.
 */
export function scan(text: string, options: ScanOptions = {}): ScanResult {
  return new Scanner(text, options).run();
}

class Scanner {
  readonly #tokens: Tokens;
  readonly #place: JsonPlace;
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  readonly #pieces: string[] = [];
  #pieceStart = 0;
  #depth = 0;
  #error: ScanError | null = null;

  constructor(text: string, options: ScanOptions) {
    this.#tokens = new Tokens(text);
    this.#place = new JsonPlace(text);
    this.#maxDepth = JSON_MAX_DEPTH + (options.envelope ?? 0);
    this.#maxBytes = options.maxBytes ?? Infinity;
  }

  run(): ScanResult {
    const top = this.#next();
    if (top === T.END) this.#fail("json_syntax", "the text is empty");
    for (let kind = top; this.#error === null;) {
      kind = this.#value(kind);
      if (this.#error === null) kind = this.#afterValue(kind);
      if (this.#place.depth === 0) break;
    }
    if (this.#error !== null) return { ok: false, error: this.#error };
    return this.#finish(top);
  }

  /** Takes the value whose first token is `kind`, opening containers on the way; returns the token after it. */
  #value(first: number): number {
    let kind = first;
    while (kind === T.OPEN_OBJECT || kind === T.OPEN_ARRAY) {
      if (this.#place.depth >= this.#maxDepth) {
        return this.#fail("state_too_deep", `nested deeper than ${JSON_MAX_DEPTH} levels`);
      }
      const isObject = kind === T.OPEN_OBJECT;
      this.#place.open(isObject);
      if (this.#place.depth > this.#depth) this.#depth = this.#place.depth;
      kind = this.#next();
      if (kind === (isObject ? T.CLOSE_OBJECT : T.CLOSE_ARRAY)) return kind;
      kind = this.#member(kind);
    }
    if (kind === T.NUMBER) {
      const problem = numberProblem(this.#tokens);
      if (problem !== null)
        return this.#fail("number_not_exact", `${excerpt(this.#tokens.raw(), 40)} ${problem}`);
    } else if (kind !== T.STRING && kind !== T.TRUE && kind !== T.FALSE && kind !== T.NULL) {
      return this.#unexpected(kind, "a value");
    }
    return this.#next();
  }

  /** Closes what the value ended; returns the first token of the next value while a container is open. */
  #afterValue(first: number): number {
    let kind = first;
    while (this.#place.depth > 0) {
      if (kind === T.COMMA) return this.#member(this.#next());
      const isObject = this.#place.inObject;
      if (kind !== (isObject ? T.CLOSE_OBJECT : T.CLOSE_ARRAY)) {
        return this.#unexpected(kind, isObject ? '"," or "}"' : '"," or "]"');
      }
      this.#place.close();
      kind = this.#next();
    }
    return kind === T.END ? kind : this.#unexpected(kind, "nothing after the value");
  }

  /** Takes the key and colon of an object member; in an array it only counts. Returns the value's first token. */
  #member(kind: number): number {
    if (!this.#place.inObject) {
      this.#place.element();
      return kind;
    }
    if (kind !== T.STRING) return this.#unexpected(kind, "a key in double quotes");
    const { start, end, escaped } = this.#tokens;
    if (!this.#place.key(start, end, escaped))
      return this.#fail("duplicate_key", "the key stands twice in one object");
    const colon = this.#next();
    return colon === T.COLON ? this.#next() : this.#unexpected(colon, '":"');
  }

  #next(): number {
    const tokens = this.#tokens;
    const before = tokens.end;
    const kind = tokens.next();
    if (tokens.start !== before) {
      if (before > this.#pieceStart) this.#pieces.push(tokens.text.slice(this.#pieceStart, before));
      this.#pieceStart = tokens.start;
    }
    return kind;
  }

  #finish(top: number): ScanResult {
    const { text, extraBytes } = this.#tokens;
    const last = this.#pieceStart === 0 ? text : text.slice(this.#pieceStart);
    const compact = this.#pieces.length === 0 ? last : this.#pieces.join("") + last;
    const bytes = compact.length + extraBytes;
    if (bytes > this.#maxBytes) {
      const message = `${bytes} bytes of compact JSON, more than the limit of ${this.#maxBytes}`;
      return { ok: false, error: { code: "state_too_large", path: "$", position: 0, message } };
    }
    return { ok: true, text: compact, bytes, kind: kindOf(top), depth: this.#depth };
  }

  #unexpected(kind: number, wanted: string): number {
    if (kind === T.BROKEN) return this.#fail("json_syntax", this.#tokens.problem, this.#tokens.end);
    if (kind === T.END) return this.#fail("json_syntax", `the text ends where ${wanted} was expected`);
    return this.#fail("json_syntax", `unexpected ${excerpt(this.#tokens.raw(), 40)}, expected ${wanted}`);
  }

  #fail(code: ScanErrorCode, problem: string, position = this.#tokens.start): number {
    const path = this.#place.path();
    const message = `${path}: ${problem} (${lineAndColumn(this.#tokens.text, position)})`;
    this.#error ??= { code, path, position, message };
    return T.BROKEN;
  }
}

function kindOf(first: number): JsonKind {
  switch (first) {
    case T.OPEN_OBJECT:
      return "object";
    case T.OPEN_ARRAY:
      return "array";
    case T.STRING:
      return "string";
    case T.NUMBER:
      return "number";
    case T.NULL:
      return "null";
    default:
      return "boolean";
  }
}

function lineAndColumn(text: string, position: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return `line ${line}, column ${position - lineStart + 1}`;
}
