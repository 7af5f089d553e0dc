import fc from "fast-check";
import type { JsonValue as Json } from "./seeds.ts";

/** What breaks readers: ends of texts, halves of pairs, deep brackets, numbers that are not exact, names objects treat specially. */
const FRAGMENTS = [
  ..."{}[]()\"'`\\,:;./$#@!?&|<>=+-*%~^ \t\n\r\0",
  ...["\ud800", "\udfff", "\ufeff", "\u2028", "\u202e", "é", "😀", "\x7f", "\xff", "\xc3"],
  ...["null", "true", "1e999", "-0", "9007199254740993", "0.1e-400", "00", "NaN", "undefined"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"],
  ...["${", "}}", "{{", "*/", "/*", "//", "<!--", "=>", "?.", "...", "../", "\\u0000", "\\ud800", "\\"],
  "[".repeat(600),
  "]".repeat(600),
  '{"a":'.repeat(600),
  "(".repeat(2000),
  "!".repeat(900),
  "a.".repeat(400),
  "x".repeat(1001),
];

type Mutation = { readonly at: number; readonly length: number; readonly put: string };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 0xffff }),
  length: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, fc.nat({ max: 200 })),
  put: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...FRAGMENTS) },
    fc.constant(""),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
});

/** A text made from a good one by cutting, putting and repeating pieces; with no mutation it is the good one. */
export function mutated(good: fc.Arbitrary<string>, words: readonly string[] = []): fc.Arbitrary<string> {
  const own = words.length === 0 ? mutation : fc.record({ ...fields(), put: fc.constantFrom(...words) });
  return fc
    .tuple(good, fc.array(fc.oneof(mutation, own), { maxLength: 6 }))
    .map(([text, mutations]) => mutations.reduce(applied, text));
}

function fields(): { at: fc.Arbitrary<number>; length: fc.Arbitrary<number> } {
  return { at: fc.nat({ max: 0xffff }), length: fc.nat({ max: 20 }) };
}

function applied(text: string, { at, length, put }: Mutation): string {
  const start = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, start) + put + text.slice(start + length);
}

/** Not replaced by something new: by another value of the document, or by nothing. */
const TAKE_ANOTHER = "take another";
const REMOVE = "remove";

type Change = {
  readonly place: number;
  readonly by: Json;
  readonly from: number;
};

const replacement: fc.Arbitrary<Change["by"]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Json>(TAKE_ANOTHER) },
  fc.constant<Json>(REMOVE),
  fc.constantFrom<Json>(null, true, false, 0, -1, 1e308, 0.5, 4294967296, "", "a", "\0", "\ud800", [], {}),
  fc.constantFrom<Json>(
    "__proto__",
    "constructor",
    "{",
    "[1]",
    "static:x",
    "{{state}}",
    "7d",
    "wait",
    "json",
  ),
  fc.constantFrom<Json>(["a", "a"], { a: null }, { __proto__: 1, length: 3 }, "x".repeat(5000)),
  fc.string({ maxLength: 12 }),
);

/** Texts of JSON documents like the good ones, with values replaced by others, moved about or taken away. */
export function mutatedJson(good: readonly Json[]): fc.Arbitrary<string> {
  const change = fc.record({
    place: fc.nat({ max: 0xffff }),
    by: replacement,
    from: fc.nat({ max: 0xffff }),
  });
  return fc
    .tuple(fc.constantFrom(...good), fc.array(change, { maxLength: 4 }))
    .map(([document, changes]) => JSON.stringify(changes.reduce(changed, document)));
}

function changed(document: Json, { place, by, from }: Change): Json {
  const all = [...valuesIn(document)];
  const target = place % all.length;
  const put = by === TAKE_ANOTHER ? (all[from % all.length] ?? null) : by;
  let seen = -1;
  const rebuilt = (value: Json): Json => {
    seen += 1;
    if (seen === target) {
      // What is replaced is not walked through, but counts with all it holds.
      seen += [...valuesIn(value)].length - 1;
      return put;
    }
    if (Array.isArray(value)) return value.map(rebuilt).filter((item) => item !== REMOVE);
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value)
      .map(([key, item]) => [key, rebuilt(item)] as const)
      .filter(([, item]) => item !== REMOVE);
    return Object.fromEntries(kept);
  };
  return rebuilt(document);
}

function* valuesIn(value: Json): Generator<Json> {
  yield value;
  if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) yield* valuesIn(item as Json);
}
