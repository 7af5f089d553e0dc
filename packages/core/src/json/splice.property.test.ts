import * as fc from "fast-check";
import { expect, test } from "vitest";
import { elements, members } from "./members.ts";
import { scan } from "./scan.ts";
import { appendElement, mergeMembers, setMember } from "./splice.ts";
import { decodeString } from "./strings.ts";

const values = fc.constantFrom("1.0", "-0", '"\\u0061"', "[1,[2]]", '{"a":{"b":[]}}', "null", '"}{,"');
const keys = fc.constantFrom('"a"', '"\\u0062"', '"__proto__"', '""', '"\\ud800"', '"2"', '"1"', '"x y"');
const objects = fc
  .uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key, maxLength: 6 })
  .map((entries) => `{${entries.map(([key, value]) => `${key}:${value}`).join()}}`);

test("L-46: setting a member changes nothing but that member, token for token", () => {
  fc.assert(
    fc.property(objects, keys, values, (text, token, value) => {
      const key = decodeString(token);
      const next = setMember(text, key, value);
      expect(scan(next)).toMatchObject({ ok: true, text: next });
      const wanted = members(text).set(key, value);
      expect([...members(next)]).toEqual([...wanted]);
      const before = members(text).get(key);
      if (before !== undefined) expect(setMember(next, key, before)).toBe(text);
      else expect(next.startsWith(text.slice(0, -1))).toBe(true);
    }),
  );
});

test("L-46: merging objects keeps the order and spelling of the base and adds what is new at the end", () => {
  fc.assert(
    fc.property(objects, objects, (base, over) => {
      const merged = mergeMembers(base, over);
      expect(scan(merged)).toMatchObject({ ok: true, text: merged });
      const wanted = members(base);
      for (const [key, value] of members(over)) wanted.set(key, value);
      expect([...members(merged)]).toEqual([...wanted]);
      expect(mergeMembers(base, "{}")).toBe(base);
      expect(mergeMembers("{}", over)).toBe(over);
      expect(mergeMembers(base, base)).toBe(base);
    }),
  );
});

test("L-46: appending to a list keeps its elements", () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 4 }), values, (items, value) => {
      expect(elements(appendElement(`[${items.join()}]`, value))).toEqual([...items, value]);
    }),
  );
});

test("texts that are no objects are refused", () => {
  for (const text of ["[]", "1", "null"]) expect(() => setMember(text, "a", "1")).toThrow("not an object");
});
