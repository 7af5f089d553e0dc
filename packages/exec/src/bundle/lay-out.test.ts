import { existsSync } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BundleEntry, makeBundle, packBundle } from "@agentflow/engine";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openBundleCache } from "./lay-out.ts";
import { removeTree } from "../remove-tree.ts";
import { digestOfTree } from "./tree.ts";

const entry = (path: string, text: string, executable = false): BundleEntry => ({
  path,
  bytes: Buffer.from(text),
  executable,
});

async function stored(...files: BundleEntry[]) {
  const result = makeBundle(files);
  if (!result.ok) throw new Error(result.problem.message);
  const { digest } = result.bundle;
  const archive = await packBundle(result.bundle);
  return { digest, load: vi.fn(async (wanted: string) => (wanted === digest ? archive : null)) };
}

const someFiles = [
  entry("workspace.flow.js", "export"),
  entry("scripts/deep/run", "#!/bin/sh\n", true),
  entry("empty", ""),
];

let folder = "";
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "agentflow-bundles-")), "bundles");
});
afterEach(() => removeTree(join(folder, "..")));

describe("a bundle on disk", () => {
  it("F-2: has its files, executable bits kept and everything read-only", async () => {
    const { digest, load } = await stored(...someFiles);
    const path = await (await openBundleCache(folder, load)).open(digest);
    expect(path).toBe(join(folder, digest));
    expect(await readFile(join(path, "scripts/deep/run"), "utf8")).toBe("#!/bin/sh\n");
    const modes = ["", "scripts", "scripts/deep", "scripts/deep/run", "workspace.flow.js"].map(
      async (below) => ((await stat(join(path, below))).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(["555", "555", "555", "555", "444"]);
  });

  it("F-2: is laid out once per digest, by one worker after the other and by many at once", async () => {
    const { digest, load } = await stored(...someFiles);
    const workers = await Promise.all(Array.from({ length: 8 }, () => openBundleCache(folder, load)));
    const paths = await Promise.all(workers.flatMap((worker) => [worker.open(digest), worker.open(digest)]));
    expect(new Set(paths)).toEqual(new Set([join(folder, digest)]));
    expect(await digestOfTree(join(folder, digest))).toBe(digest);
    expect(await readdir(folder)).toEqual([digest]);

    const calls = load.mock.calls.length;
    await (await openBundleCache(folder, load)).open(digest);
    expect(load.mock.calls.length).toBe(calls);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    [
      "a byte was changed under the same size and times",
      async (path) => {
        const file = join(path, "workspace.flow.js");
        const before = await stat(file);
        await chmod(file, 0o644);
        await writeFile(file, "EXPORT");
        await chmod(file, 0o444);
        await utimes(file, before.atime, before.mtime);
      },
    ],
    ["a file is missing", (path) => rm(join(path, "empty"))],
    ["a file was added", (path) => writeFile(join(path, "scripts/more"), "")],
    ["an executable bit was taken", (path) => chmod(join(path, "scripts/deep/run"), 0o444)],
    [
      "a file became a link",
      async (path) => {
        await rm(join(path, "empty"));
        await symlink("/etc/hostname", join(path, "empty"));
      },
    ],
    [
      "the whole is a file",
      async (path) => {
        await removeTree(path);
        await writeFile(path, "");
      },
    ],
    [
      "the whole is an empty folder",
      async (path) => {
        await removeTree(path);
        await mkdir(path);
      },
    ],
  ])("F-2: is laid out again when %s, in the same process and in another one", async (_case, damage) => {
    const { digest, load } = await stored(...someFiles);
    const cache = await openBundleCache(folder, load);
    const path = await cache.open(digest);
    for (const worker of [cache, await openBundleCache(folder, load)]) {
      for (const below of ["", "scripts", "scripts/deep"]) await chmod(join(path, below), 0o755);
      await damage(path);
      expect(await digestOfTree(path)).not.toBe(digest);
      expect(await worker.open(digest)).toBe(path);
      expect(await digestOfTree(path)).toBe(digest);
      expect(await readdir(folder)).toEqual([digest]);
    }
  });

  it("F-2: that is not stored, is damaged in the store or is another one than its digest says is refused, and nothing stays", async () => {
    const { digest, load } = await stored(...someFiles);
    const other = await stored(entry("a", "b"));
    const open = async (source: (wanted: string) => Promise<Uint8Array | null>) =>
      (await openBundleCache(folder, source)).open(digest);
    await expect(open(async () => null)).rejects.toThrow("not stored");
    await expect(open(async () => Buffer.from("junk"))).rejects.toThrow("cannot be used");
    await expect(open(() => other.load(other.digest))).rejects.toThrow("other files");
    await expect((await openBundleCache(folder, load)).open("../../etc")).rejects.toThrow("no bundle digest");
    expect(await readdir(folder)).toEqual([]);
  });

  it("F-2: a failed try does not stick", async () => {
    const { digest, load } = await stored(...someFiles);
    let away = true;
    const cache = await openBundleCache(folder, async (wanted) => (away ? null : load(wanted)));
    await expect(cache.open(digest)).rejects.toThrow("not stored");
    away = false;
    expect(existsSync(await cache.open(digest))).toBe(true);
  });
});
