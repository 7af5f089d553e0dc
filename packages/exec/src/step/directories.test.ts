import { existsSync } from "node:fs";
import { mkdir, mkdtemp, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeTree } from "../remove-tree.ts";
import { newStepId, thisOwner } from "../process/owner.ts";
import { openStepDirectories, removeStepDirectories, sweepStepDirectories } from "./directories.ts";

let dataDir = "";
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "agentflow-steps-"));
});
afterEach(() => removeTree(dataDir));

describe("the folders of a step", () => {
  it("F-22, S-20: are private; tmp and outputs lie inside the working directory, input files beside it", async () => {
    const directories = openStepDirectories(dataDir, thisOwner());
    for (const folder of Object.values(directories)) expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect([dirname(directories.tmp), dirname(directories.outputs)]).toEqual([
      directories.cwd,
      directories.cwd,
    ]);
    expect([dirname(directories.cwd), dirname(directories.in)]).toEqual([directories.root, directories.root]);
    expect(openStepDirectories(dataDir, thisOwner()).root).not.toBe(directories.root);
  });

  it("S-20: go with everything in them, and links are not followed", async () => {
    const outside = join(dataDir, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "kept"), "");
    const directories = openStepDirectories(dataDir, thisOwner());
    await writeFile(join(directories.in, "state.json"), "1");
    await symlink(outside, join(directories.cwd, "link"));
    await removeStepDirectories(directories);
    expect(existsSync(directories.root)).toBe(false);
    expect(existsSync(join(outside, "kept"))).toBe(true);
  });

  it("D2: of dead workers are swept at boot; those of live workers and of other machines stay", async () => {
    const owner = thisOwner();
    const [machine, pid, start] = owner.split(".");
    const live = openStepDirectories(dataDir, owner).root;
    // The same pid, but another start: whoever had it before.
    const dead = openStepDirectories(dataDir, `${machine}.${pid}.${start}0`).root;
    const foreign = openStepDirectories(dataDir, `ffffffff.${pid}.${start}`).root;
    const forgotten = openStepDirectories(dataDir, `eeeeeeee.${pid}.${start}`).root;
    await utimes(forgotten, new Date(0), new Date(0));
    expect(await sweepStepDirectories(dataDir)).toBe(2);
    expect([live, dead, foreign, forgotten].map((folder) => existsSync(folder))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("S-20: a data folder without steps has nothing to sweep", async () => {
    expect(await sweepStepDirectories(join(dataDir, "none"))).toBe(0);
  });

  it("F-22: names are short enough for sockets below TMPDIR", () => {
    expect(basename(newStepId(thisOwner())).length).toBeLessThanOrEqual(40);
  });
});
