import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { highestBundleLimits } from "@agentflow/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readFolder } from "./read-folder.ts";

let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "flow folder "));
  folder = join(base, "flow");
  await mkdir(join(folder, "scripts"), { recursive: true });
  await writeFile(join(folder, "workspace.flow.js"), "// flow");
  await writeFile(join(folder, "scripts/step.sh"), "echo 1");
});
afterEach(async () => rm(base, { recursive: true, force: true }));

async function paths(): Promise<string[]> {
  return (await readFolder(folder)).map(({ path }) => path);
}

test("F-2: every file of the folder is read, with its bytes and its executable bit", async () => {
  await chmod(join(folder, "scripts/step.sh"), 0o755);
  await writeFile(join(folder, "data.bin"), Buffer.from([0, 255, 10]));
  const files = await readFolder(folder);
  expect(files.map(({ path, executable }) => [path, executable])).toEqual([
    ["data.bin", false],
    ["scripts/step.sh", true],
    ["workspace.flow.js", false],
  ]);
  expect(Buffer.from(files[0]!.bytes)).toEqual(Buffer.from([0, 255, 10]));
});

test("F-2: node_modules and .git are left out at every depth, other hidden files are not", async () => {
  for (const name of ["node_modules/a", ".git", "scripts/node_modules/b"]) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "file"), "");
  }
  await writeFile(join(folder, ".eslintrc"), "");
  expect(await paths()).toEqual([".eslintrc", "scripts/step.sh", "workspace.flow.js"]);
});

test("S-20: links that stay inside are followed, to files and to folders", async () => {
  await symlink("scripts/step.sh", join(folder, "again.sh"));
  await symlink("scripts", join(folder, "tools"));
  expect(await paths()).toEqual(["again.sh", "scripts/step.sh", "tools/step.sh", "workspace.flow.js"]);
});

test.each([
  ["a file outside", "../secret", "secret is a link that leaves the flow folder"],
  ["a file outside by its full name", "/etc/passwd", "secret is a link that leaves the flow folder"],
  ["a folder beside with the same beginning", "../flow-2/x", "secret is a link that leaves the flow folder"],
  ["a folder outside", "..", "secret is a link that leaves the flow folder"],
  ["nothing", "nowhere", "secret is a link to nothing"],
  ["the folder itself", ".", "secret is a link to a folder around it"],
])("S-20: a link to %s is refused by name", async (_, target, message) => {
  await writeFile(join(base, "secret"), "key");
  await mkdir(join(base, "flow-2"));
  await writeFile(join(base, "flow-2/x"), "");
  await symlink(target, join(folder, "secret"));
  await expect(readFolder(folder)).rejects.toThrow(message);
});

test("S-20: a folder that is too large is refused before it is read", async () => {
  await writeFile(join(folder, "bomb"), "");
  await truncate(join(folder, "bomb"), highestBundleLimits.maxBytes + 1);
  await expect(readFolder(folder)).rejects.toThrow(
    `more than ${highestBundleLimits.maxBytes} bytes (at bomb)`,
  );
});

test("S-20: what is neither a file nor a folder is refused, not waited for", async () => {
  const server = createServer().listen(join(folder, "socket"));
  await once(server, "listening");
  try {
    await expect(readFolder(folder)).rejects.toThrow("socket is neither a file nor a folder");
  } finally {
    server.close();
  }
});

test("a folder that is not there is named", async () => {
  await expect(readFolder(join(base, "nope"))).rejects.toThrow(`there is no folder ${join(base, "nope")}`);
  await expect(readFolder(join(folder, "workspace.flow.js"))).rejects.toThrow("is no folder");
});
