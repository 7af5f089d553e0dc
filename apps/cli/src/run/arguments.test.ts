import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandError } from "../exit.ts";
import { readInputs, readPayload, wholeNumber } from "./arguments.ts";

const contract = {
  inputs: [
    { node: "settings", label: "", type: "json" },
    { node: "note", label: "", type: "text" },
    { node: "dry", label: "", type: "bool" },
    { node: "list", label: "", type: "file" },
  ],
  outputs: [],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "arguments "));
  writeFileSync(join(folder, "settings.json"), '{ "n": 1.0, "big": 1e3 }\n');
  writeFileSync(join(folder, "note.txt"), "line 1\nline 2\n");
  writeFileSync(join(folder, "latin.txt"), Buffer.from([0xe1]));
});
afterAll(() => rmSync(folder, { recursive: true }));

function inputs(...given: string[]): Record<string, string> {
  return Object.fromEntries(readInputs(given, contract));
}

test("F-29 L-46: the value of a json node is JSON and keeps its exact spelling", () => {
  expect(inputs('settings={"n": 1.0, "e":1E2}')).toEqual({ settings: '{"n":1.0,"e":1E2}' });
  expect(inputs("settings=3")).toEqual({ settings: "3" });
});

test("F-29: other values are text, with whatever is in them", () => {
  expect(inputs("note=a=b\n{1}", "list=data/x.csv")).toEqual({ note: '"a=b\\n{1}"', list: '"data/x.csv"' });
  expect(inputs("note=")).toEqual({ note: '""' });
  expect(inputs("dry=true")).toEqual({ dry: "true" });
  expect(inputs("dry=on")).toEqual({ dry: '"on"' });
});

test("F-29: @file stands for the content of a file, @@ for an @", () => {
  expect(inputs(`note=@${join(folder, "note.txt")}`)).toEqual({ note: '"line 1\\nline 2\\n"' });
  expect(inputs("note=@@handle")).toEqual({ note: '"@handle"' });
  expect(readPayload(`@${join(folder, "settings.json")}`)).toBe('{"n":1.0,"big":1e3}');
});

test.each([
  ["no value", ["settings"], "not of the form id=value"],
  ["no id", ["=1"], "not of the form id=value"],
  ["an unknown id", ["other=1"], "it takes settings (json), note (text)"],
  ["the same id twice", ["note=1", "note=2"], "given twice"],
  ["no JSON for json", ["settings={a:1}"], "--input settings is not JSON"],
  ["a JSON that repeats a key", ['settings={"a":1,"a":2}'], "--input settings is not JSON"],
  ["a file that is not there", ["note=@/nowhere"], "cannot read /nowhere"],
])("F-29: %s is wrong usage", (_, given, message) => {
  const read = (): unknown => readInputs(given, contract);
  expect(read).toThrow(CommandError);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ exitCode: 2 }));
});

test("a file that is no UTF-8 is refused, not changed", () => {
  expect(() => inputs(`note=@${join(folder, "latin.txt")}`)).toThrow("cannot read");
});

test("L-40: a payload must be JSON", () => {
  expect(readPayload("null")).toBe("null");
  expect(() => readPayload("skip")).toThrow("--payload is not JSON");
});

test.each(["0", "-1", "1.5", "1e3", "", "abc", "0x10"])("%j is no version number", (text) => {
  expect(() => wholeNumber("--flow-version", 1)(text)).toThrow("a whole number from 1");
});

test("digits are a number", () => {
  expect(wholeNumber("--limit", 1)("50")).toBe(50);
});
