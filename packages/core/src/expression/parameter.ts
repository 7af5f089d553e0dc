import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { utf8Length } from "../json/bytes.ts";
import { elements, members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { decodeString, quote } from "../json/strings.ts";
import { arrayText, objectText } from "../json/write.ts";
import { INPUT_MAX_BYTES } from "../limits.ts";
import type { Expression } from "./ast.ts";
import { unevaluable } from "./condition.ts";
import { evaluate } from "./evaluate.ts";
import { splitParameter } from "./parameter-template.ts";
import { parseExpression } from "./parse.ts";
import { pathOf, readPath, valueAt } from "./path.ts";
import type { LoopScope } from "./scope.ts";

export type ResolvedParameter =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

const STATIC = "static:";

/**
 * A parameter as exact JSON text, at most 1 MiB (OP-5). Its texts, also those inside lists and objects, are resolved by
 * the first rule that fits: `static:…` → the rest; a root or path → the typed value, missing → null; a whole `{{…}}` →
 * typed; embedded ones → text; else literal. What comes out of data is never resolved again.
 */
export function resolveParameter(text: string, scope: LoopScope): ResolvedParameter {
  const resolution = new Resolution(scope);
  const resolved = resolution.resolve(text);
  if (resolution.failure !== null) return { ok: false, failure: resolution.failure };
  if (utf8Length(resolved) > INPUT_MAX_BYTES) return { ok: false, failure: tooLarge() };
  return { ok: true, text: resolved };
}

class Resolution {
  failure: Failure | null = null;
  readonly #scope: LoopScope;
  #length = 0;

  constructor(scope: LoopScope) {
    this.#scope = scope;
  }

  /** After the first failure everything is null, and dropped. */
  resolve(text: string): string {
    if (this.failure !== null) return "null";
    switch (text.charAt(0)) {
      case "{":
        return objectText([...members(text)].map(([key, value]) => [key, this.resolve(value)]));
      case "[":
        return arrayText(elements(text).map((item) => this.resolve(item)));
      case '"':
        return this.#count(this.#string(text));
      default:
        return text;
    }
  }

  #string(token: string): string {
    const text = decodeString(token);
    if (text.startsWith(STATIC)) return quote(text.slice(STATIC.length));
    const path = readPath(text);
    if (path !== null && this.#scope.roots.has(path.root))
      return valueAt(this.#scope.values.get(path.root) ?? "null", path.keys) ?? "null";
    const pieces = splitParameter(text);
    const [first] = pieces;
    if (pieces.length === 1 && first?.kind === "expression") return this.#value(first.text) ?? "null";
    if (!pieces.some(({ kind }) => kind === "expression")) return token;
    let whole = "";
    for (const piece of pieces) {
      if (this.failure !== null) break;
      whole += this.#count(piece.kind === "literal" ? piece.text : embedded(this.#value(piece.text)));
    }
    return quote(whole);
  }

  /** Exact JSON text of an expression's value, or undefined. */
  #value(source: string): string | undefined {
    const parsed = parseExpression(source);
    if (!parsed.ok) return this.#fail(unevaluable(source, parsed.problem.message));
    const { expression } = parsed;
    const exact = this.#exact(expression);
    if (exact !== undefined) return exact;
    const result = evaluate(expression, this.#scope.values);
    if (!result.ok) return this.#fail(unevaluable(source, result.reason));
    if (result.value === undefined) return undefined;
    let isFinite = true;
    const written = JSON.stringify(result.value, (_key, value: unknown) => {
      if (typeof value === "number" && !Number.isFinite(value)) isFinite = false;
      return value;
    });
    if (!isFinite) return this.#fail(unevaluable(source, "its value holds a number that is not finite"));
    const scanned = scan(written);
    return scanned.ok ? scanned.text : this.#fail(unevaluable(source, scanned.error.message));
  }

  /** A plain path gives the text that stands there, spelled as it is (L-46). */
  #exact({ root }: Expression): string | undefined {
    const path = pathOf(root);
    const text = path === null ? undefined : this.#scope.values.get(path.root);
    return path === null || text === undefined ? undefined : valueAt(text, path.keys);
  }

  #count(text: string): string {
    this.#length += text.length;
    if (this.#length > 2 * INPUT_MAX_BYTES) this.#fail(tooLarge());
    return this.failure === null ? text : "";
  }

  #fail(failure: Failure): undefined {
    this.failure ??= failure;
  }
}

/** A value inside a text: text as it is, nothing for null and undefined, everything else as JSON. */
function embedded(json: string | undefined): string {
  if (json === undefined || json === "null") return "";
  return json.startsWith('"') ? decodeString(json) : json;
}

function tooLarge(): Failure {
  return failure("state_too_large", `a parameter is larger than ${INPUT_MAX_BYTES} bytes of JSON`);
}
