import { registerFlowBody } from "@agentflow/contract";
import { expect, test } from "vitest";
import { nameOf, registrationOf, takeApart } from "./submission.ts";

const entry = (path: string, content: string | Uint8Array, executable = false) => ({
  path,
  bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  executable,
});

const source = "export const run = flow();";

test("F-1: source and layout stand for themselves, everything else is a file of the bundle", () => {
  const folder = takeApart([
    entry("workspace.flow.js", source),
    entry("workspace.layout.json", '{"nodes":{}}'),
    entry("scripts/run.sh", "echo", true),
    entry("sub/workspace.flow.js", "kept"),
  ]);
  expect(folder).toMatchObject({ source, layout: { nodes: {} } });
  expect(folder.files.map(({ path }) => path)).toEqual(["scripts/run.sh", "sub/workspace.flow.js"]);
});

test("F-2: files go with their exact bytes, text as text and the rest as base64", () => {
  const withMark = "\ufeffname,mail\r\n";
  const latin = Uint8Array.from([0x4d, 0xe1, 0x72]);
  const files = [entry("a.csv", withMark), entry("b.csv", latin), entry("run.sh", "echo", true)];
  const body = registrationOf("name", { source, layout: null, files });
  expect(body.files).toEqual({
    "a.csv": { text: withMark, executable: false },
    "b.csv": { base64: Buffer.from(latin).toString("base64"), executable: false },
    "run.sh": { text: "echo", executable: true },
  });
  expect(registerFlowBody.safeParse(body).error).toBeUndefined();
});

test("F-2: a file may have any legal name, also one that objects have a meaning for", () => {
  const body = registrationOf("name", { source, layout: null, files: [entry("__proto__", "x")] });
  expect(Object.keys(body.files ?? {})).toEqual(["__proto__"]);
});

test.each([
  ["no JSON", "{", "is not JSON"],
  ["no object", "[]", "is no layout: $:"],
  ["no layout", '{"nodes":{"a":{"x":0,"y":0}}}', "is no layout: $.nodes.a.width:"],
  ["no text", Uint8Array.from([0xff]), "is not UTF-8"],
])("a layout file that is %s is refused", (_, content, message) => {
  expect(() => takeApart([entry("workspace.layout.json", content)])).toThrow(message);
});

test("a source that is no UTF-8 is refused, one that is missing is left to lint", () => {
  expect(() => takeApart([entry("workspace.flow.js", Uint8Array.from([0xff]))])).toThrow("not UTF-8");
  expect(takeApart([]).source).toBeNull();
});

test("F-29: a flow is named after its folder, or as told", () => {
  expect(nameOf("/flows/import-contacts/", undefined)).toBe("import-contacts");
  expect(nameOf("/flows/import-contacts", "other")).toBe("other");
  expect(() => nameOf("/flows/My Flow", undefined)).toThrow(/"My Flow".*--name/);
  expect(() => nameOf("/flows/flow", "../x")).toThrow('"../x"');
});
