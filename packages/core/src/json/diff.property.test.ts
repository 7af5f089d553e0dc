import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonDiff } from "./diff.ts";
import { elements, members } from "./members.ts";
import { mergePatch } from "./merge-patch.ts";
import { arrayText, objectText } from "./write.ts";

/** Applies a JSON patch to a text as RFC 6902 says, on exact texts. */
function applied(text: string, patch: string): string {
  return elements(patch).reduce((target, operation) => {
    const fields = members(operation);
    const path = JSON.parse(fields.get("path")!) as string;
    const op = JSON.parse(fields.get("op")!) as string;
    const steps = path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return changed(target, steps, op, fields.get("value") ?? "");
  }, text);
}

function changed(target: string, [step, ...rest]: string[], op: string, value: string): string {
  if (step === undefined) return value;
  if (target.startsWith("[")) {
    const list = elements(target);
    const at = Number(step);
    if (rest.length > 0) list[at] = changed(list[at]!, rest, op, value);
    else if (op === "remove") list.splice(at, 1);
    else list.splice(at, op === "add" ? 0 : 1, value);
    return arrayText(list);
  }
  const map = members(target);
  if (rest.length > 0) map.set(step, changed(map.get(step)!, rest, op, value));
  else if (op === "remove") map.delete(step);
  else map.set(step, value);
  return objectText(map);
}

/** Members in the order of their keys: a patch of an object says nothing of their order. */
function ordered(text: string): string {
  if (text.startsWith("[")) return arrayText(elements(text).map(ordered));
  if (!text.startsWith("{")) return text;
  const entries = [...members(text)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return objectText(entries.map(([key, value]) => [key, ordered(value)] as const));
}

const { tree: anyText } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("null", "true", "0", "-0", "1.0", "1e2", '"x"', '"\\u0041"', '"~/"'),
    fc.array(tie("tree"), { maxLength: 5 }).map(arrayText),
    fc
      .uniqueArray(fc.constantFrom("a", "b", "", "~", "/", "__proto__", "0", "constructor"), { maxLength: 4 })
      .chain((keys) =>
        fc
          .tuple(...keys.map(() => tie("tree")))
          .map((values) => objectText(keys.map((key, n) => [key, values[n]!] as const))),
      ),
  ),
}));

describe("differences of states", () => {
  test("OP-7: the patch turns the one text into the other, spelling and all", () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        expect(ordered(applied(before, jsonDiff(before, after)))).toBe(ordered(after));
      }),
      { numRuns: 2000 },
    );
  });

  test("OP-7: equal texts differ in nothing, and 1.0 is not 1", () => {
    expect(jsonDiff('{"a":[1]}', '{"a":[1]}')).toBe("[]");
    expect(jsonDiff('{"a":1.0}', '{"a":1}')).toBe('[{"op":"replace","path":"/a","value":1}]');
    expect(jsonDiff('{"n":1,"l":[1,2]}', '{"n":2,"l":[1,2,3]}')).toBe(
      '[{"op":"replace","path":"/n","value":2},{"op":"add","path":"/l/2","value":3}]',
    );
  });

  test("OP-7: a patch is never much longer than the new state, and deep states end", () => {
    const key = "k".repeat(1000);
    const list = (from: number) => arrayText(Array.from({ length: 5000 }, (_, n) => String(from + n)));
    const [before, after] = [`{"${key}":${list(0)}}`, `{"${key}":${list(1e6)}}`];
    expect(jsonDiff(before, after).length).toBeLessThan(after.length * 2);
    const deep = (leaf: string) => "[".repeat(500) + leaf + "]".repeat(500);
    expect(jsonDiff(deep("1"), deep("2"))).toContain(`"value":${"[".repeat(476)}2`);
  });
});

describe("merge patches of states", () => {
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])("OP-7: %s merged with %s is %s, as the examples of RFC 7396", (target, patch, result) => {
    expect(mergePatch(target, patch)).toBe(result);
  });

  test("OP-7, L-46: what a patch does not touch keeps its spelling", () => {
    expect(mergePatch('{"2":1.0,"1":-0,"__proto__":{"x":1e2}}', '{"__proto__":{"y":2}}')).toBe(
      '{"2":1.0,"1":-0,"__proto__":{"x":1e2,"y":2}}',
    );
  });
});
