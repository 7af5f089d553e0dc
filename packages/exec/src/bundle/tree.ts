import { chmod, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Bundle, type BundleEntry, highestBundleLimits, makeBundle } from "@agentflow/engine";

type Found = {
  readonly path: string;
  readonly kind: "file" | "folder" | "other";
  readonly stamp: string;
  readonly size: number;
  readonly executable: boolean;
};

/** Everything below a folder, parents before children; links are seen, never followed. */
async function walk(root: string, below = ""): Promise<Found[]> {
  const found: Found[] = [];
  const stat = await lstat(join(root, below));
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
  const stamp = [below, kind, stat.ino, stat.size, stat.mode, stat.mtimeMs, stat.ctimeMs].join(" ");
  found.push({ path: below, kind, stamp, size: stat.size, executable: (stat.mode & 0o100) !== 0 });
  if (kind !== "folder") return found;
  const names = await readdir(join(root, below));
  for (const name of names.toSorted())
    found.push(...(await walk(root, below === "" ? name : `${below}/${name}`)));
  return found;
}

/** A cheap print of a tree (inodes, sizes, modes, times of change): equal prints mean that nobody touched it. Null when there is none. */
export async function printOf(root: string): Promise<string | null> {
  try {
    return (await walk(root)).map(({ stamp }) => stamp).join("\n");
  } catch {
    return null;
  }
}

/** Reads a laid-out tree back and computes its digest; null when it is missing or holds what no bundle can. */
export async function digestOfTree(root: string): Promise<string | null> {
  try {
    const found = (await walk(root)).filter(({ kind }) => kind !== "folder");
    const bytes = found.reduce((sum, { size }) => sum + size, 0);
    if (bytes > highestBundleLimits.maxBytes || found.some(({ kind }) => kind === "other")) return null;
    const entries: BundleEntry[] = [];
    for (const { path, executable } of found)
      entries.push({ path, bytes: await readFile(join(root, path)), executable });
    const result = makeBundle(entries, highestBundleLimits);
    return result.ok ? result.bundle.digest : null;
  } catch {
    return null;
  }
}

/** Writes the files of a bundle below an empty folder and takes all write permission away: files 0444 or 0555, folders 0555 (F-2). */
export async function writeTree(root: string, bundle: Bundle): Promise<void> {
  const folders = new Set([root]);
  for (const { path, bytes, executable } of bundle.entries) {
    const file = join(root, path);
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, bytes, { flag: "wx" });
    await chmod(file, executable ? 0o555 : 0o444);
  }
  for (const folder of folders) await chmod(folder, 0o555);
}
