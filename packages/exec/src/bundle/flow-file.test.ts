import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFlowFile } from "./flow-file.ts";
import { removeTree } from "../remove-tree.ts";

let base = "";
let flowDir = "";
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "agentflow-flow-")));
  flowDir = join(base, "flow");
  await mkdir(join(flowDir, "scripts"), { recursive: true });
  await mkdir(join(base, "flow-other"));
  await writeFile(join(flowDir, "scripts/a.mjs"), "");
  await writeFile(join(flowDir, "scripts/tool"), "");
  await writeFile(join(base, "flow-other/secret.sh"), "");
  await symlink("a.mjs", join(flowDir, "scripts/inside.py"));
  await symlink("../../flow-other/secret.sh", join(flowDir, "scripts/outside.sh"));
  await symlink(base, join(flowDir, "up"));
});
afterAll(() => removeTree(base));

describe("a file of a flow", () => {
  it("F-23: is found with the program that runs it", async () => {
    expect(await findFlowFile(flowDir, "scripts/a.mjs")).toEqual({
      kind: "found",
      path: join(flowDir, "scripts/a.mjs"),
      interpreter: "node",
    });
    expect(await findFlowFile(flowDir, "scripts/tool")).toEqual({
      kind: "found",
      path: join(flowDir, "scripts/tool"),
      interpreter: null,
    });
    expect(await findFlowFile(flowDir, "scripts/inside.py")).toMatchObject({
      kind: "found",
      path: join(flowDir, "scripts/a.mjs"),
      interpreter: "python3",
    });
  });

  it.each([
    "../flow-other/secret.sh",
    "scripts/outside.sh",
    "up/flow-other/secret.sh",
    "/etc/passwd",
    "scripts/../../flow-other/secret.sh",
    "scripts",
    "scripts/none.js",
    "",
    "a\0b",
  ])("F-23, S-20: %j is refused", async (ref) => {
    expect(await findFlowFile(flowDir, ref)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(JSON.stringify(ref)),
    });
  });
});
