import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonical } from "./canonical.ts";
import { isWellFormed, utf8Length } from "./bytes.ts";
import { elements, members } from "./members.ts";
import { scan } from "./scan.ts";
import { decodeString, quote } from "./strings.ts";
import { jsonValue, type JsonValue } from "./value.ts";
import { arrayText, objectText } from "./write.ts";

const spaces = fc
  .array(fc.constantFrom(" ", "\n", "\t", "\r"), { maxLength: 2 })
  .map((found) => found.join(""));
const numbers = fc.oneof(
  fc.constantFrom("-0", "0", "1.0", "1e2", "1E-3", "-0.0", "9007199254740991", "0.10"),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential()),
);
const strings = fc
  .string({ unit: "binary", maxLength: 6 })
  .map((text) => text.replace(/[\ud800-\udfff]/gu, "?"));
const stringTokens = fc.oneof(
  strings.map(quote),
  strings.map((text) => `"${[...text].map(escaped).join("")}"`),
  fc.constantFrom('"\\ud800"', '"\\u0000"', '"__proto__"', '"\\u0061\\/"'),
);

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A JSON text without duplicates, as lists of tokens so that white space can be put anywhere between them. */
const { tokens } = fc.letrec<{ tokens: string[]; member: [string, string[]] }>((tie) => ({
  tokens: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    numbers.map((text) => [text]),
    stringTokens.map((text) => [text]),
    fc.constantFrom("null", "true", "false").map((text) => [text]),
    fc.array(tie("tokens"), { maxLength: 4 }).map((items) => ["[", ...listed(items), "]"]),
    fc
      .uniqueArray(tie("member"), { maxLength: 12, selector: ([key]) => decodeString(key) })
      .map((items) => ["{", ...listed(items.map(([key, value]) => [key, ":", ...value])), "}"]),
  ),
  member: fc.tuple(stringTokens, tie("tokens")),
}));

function listed(items: readonly string[][]): string[] {
  return items.flatMap((item, at) => (at === 0 ? item : [",", ...item]));
}

const spaced = fc.tuple(tokens, fc.infiniteStream(spaces)).map(([parts, gaps]) => ({
  compact: parts.join(""),
  text: parts.map((part) => part + gaps.next().value).join(""),
}));

test("L-46: a legal text comes out token for token, its size is its UTF-8 size, and it scans to itself", () => {
  fc.assert(
    fc.property(spaced, ({ compact, text }) => {
      const result = scan(text);
      expect(result).toMatchObject({ ok: true, text: compact, bytes: utf8Length(compact) });
      expect(result.ok && jsonValue(result.text)).toEqual(JSON.parse(text));
      expect(scan(compact)).toEqual(result);
    }),
  );
});

const noise = fc.constantFrom(..."{}[],:\"\\/'ntfeE+-.0189 \n\0é\ud800\udc00u", "null", "1e999", "//");
const mutated = fc
  .tuple(spaced, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), noise), { minLength: 1, maxLength: 3 }))
  .map(([{ text }, edits]) =>
    edits.reduce((now, [where, removed, added]) => {
      const at = where % (now.length + 1);
      return now.slice(0, at) + added + now.slice(at + removed);
    }, text),
  );

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

test("L-45: on damaged texts the scanner and JSON.parse agree, but for what the policy refuses on top", () => {
  fc.assert(
    fc.property(mutated, (text) => {
      const result = scan(text);
      const reference = parsed(text);
      if (result.ok) expect({ value: jsonValue(result.text) }).toEqual(reference);
      else if (result.error.code === "json_syntax")
        expect(reference === null || !isWellFormed(text)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("L-45: heaps of tokens that are hardly ever JSON are judged as JSON.parse does", () => {
  const heaps = fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', '"b"', "1", "-", "null", " "));
  fc.assert(
    fc.property(heaps, (parts) => {
      const text = parts.join("");
      const result = scan(text);
      const isDuplicate = !result.ok && result.error.code === "duplicate_key";
      expect(result.ok || isDuplicate).toBe(parsed(text) !== null || isDuplicate);
    }),
    { numRuns: 2000 },
  );
});

test("L-46: members and elements cut out the exact texts and put together they give the text again", () => {
  fc.assert(
    fc.property(
      fc.array(
        tokens.map((parts) => parts.join("")),
        { maxLength: 6 },
      ),
      (values) => {
        expect(elements(arrayText(values))).toEqual(values);
        const entries = values.map((value, at): [string, string] => [`k${at}\ud800"`, value]);
        expect([...members(objectText(entries))]).toEqual(entries);
      },
    ),
  );
});

function shuffled(value: JsonValue, order: () => number): string {
  if (Array.isArray(value)) return arrayText(value.map((item) => shuffled(item, order)));
  if (value === null || typeof value !== "object")
    return Object.is(value, -0) ? "-0.0" : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]): [string, string] => [key, shuffled(item, order)]);
  return objectText(entries.toSorted(() => order() - 0.5));
}

const smallNumbers = fc.oneof(fc.integer(), fc.float({ noNaN: true, noDefaultInfinity: true }));
const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    smallNumbers.filter((found) => Math.abs(found) < 2 ** 53),
    strings,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(strings, tie("value"), { maxKeys: 5 }),
  ),
})).value;

test("P-51: canonical text does not depend on key order, white space or escaping, and is its own canonical text", () => {
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, order) => {
      const plain = shuffled(value, () => 0.5);
      const other = shuffled(value, () => order.next().value);
      const result = canonical(plain);
      expect(canonical(other)).toBe(result);
      expect(canonical(other.replaceAll(",", " ,\n").replaceAll(" ,\n", ","))).toBe(result);
      expect(canonical(result)).toBe(result);
      expect(scan(result)).toMatchObject({ ok: true, text: result });
      expect(JSON.parse(result)).toEqual(JSON.parse(plain));
    }),
  );
});

test("L-38: different values have different canonical texts", () => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [a, b] = [shuffled(one, () => 0.5), shuffled(other, () => 0.5)];
      let same = true;
      try {
        expect(JSON.parse(a)).toStrictEqual(JSON.parse(b));
      } catch {
        same = false;
      }
      expect(canonical(a) === canonical(b)).toBe(same);
    }),
  );
});
