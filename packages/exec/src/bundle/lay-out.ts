import { lstat, mkdir, mkdtemp, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, highestBundleLimits, unpackBundle } from "@agentflow/engine";
import { removeTree } from "../remove-tree.ts";
import { digestOfTree, printOf, writeTree } from "./tree.ts";

/** Bundles on this host's disk, one read-only folder per digest, shared by all workers that use the same data folder (F-2). */
export type BundleCache = {
  /** Path of the laid-out bundle, its content proven against the digest. Throws when the bundle cannot be had or is not what its digest says. */
  open(digest: string): Promise<string>;
};

export type BundleSource = (digest: string) => Promise<Uint8Array | null>;

/** Unfinished work of a worker that died is removed after this long. */
const UNFINISHED_KEPT_MS = 60 * 60 * 1000;
const UNFINISHED = ".unfinished-";

/** Keeps bundles below `folder`; `load` gives the archive of a digest that is not there yet. */
export async function openBundleCache(folder: string, load: BundleSource): Promise<BundleCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeUnfinished(folder);
  const prints = new Map<string, string>();
  const opening = new Map<string, Promise<string>>();

  /** The content is read once per process; later a look at inodes and times tells whether anybody touched it. */
  const open = async (digest: string): Promise<string> => {
    const path = join(folder, digest);
    const print = await printOf(path);
    if (print !== null && print === prints.get(digest)) return path;
    if (print === null || (await digestOfTree(path)) !== digest)
      await layOut(folder, await fetchBundle(digest, load));
    const proven = await printOf(path);
    if (proven !== null) prints.set(digest, proven);
    return path;
  };

  return {
    async open(digest) {
      if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`${JSON.stringify(digest)} is no bundle digest.`);
      let pending = opening.get(digest);
      if (pending === undefined) {
        pending = open(digest).finally(() => opening.delete(digest));
        opening.set(digest, pending);
      }
      return pending;
    },
  };
}

async function fetchBundle(digest: string, load: BundleSource): Promise<Bundle> {
  const archive = await load(digest);
  if (archive === null) throw new Error(`The bundle ${digest} is not stored.`);
  const result = await unpackBundle(archive, highestBundleLimits);
  if (!result.ok) throw new Error(`The stored bundle ${digest} cannot be used: ${result.problem.message}`);
  if (result.bundle.digest !== digest)
    throw new Error(`The stored bundle ${digest} holds other files than its digest says.`);
  return result.bundle;
}

/** Written beside its place and renamed: other workers see the whole bundle or none of it. */
async function layOut(folder: string, bundle: Bundle): Promise<void> {
  const made = await mkdtemp(join(folder, UNFINISHED));
  await writeTree(made, bundle);
  const path = join(folder, bundle.digest);
  for (;;) {
    const damaged = await inodeOf(path);
    if (await renamed(made, path)) return;
    // Somebody is there: another worker that was quicker, or the damaged tree that brought us here.
    if ((await digestOfTree(path)) === bundle.digest) return removeTree(made);
    if (damaged === null || damaged !== (await inodeOf(path))) continue;
    const aside = `${made}-damaged`;
    if (await renamed(path, aside)) await removeTree(aside);
  }
}

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return false;
    throw error;
  }
}

async function inodeOf(path: string): Promise<number | null> {
  const stat = await lstat(path).catch(() => null);
  return stat === null ? null : stat.ino;
}

async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const stat = await lstat(join(folder, name)).catch(() => null);
    if (stat !== null && Date.now() - stat.ctimeMs > UNFINISHED_KEPT_MS) await removeTree(join(folder, name));
  }
}
