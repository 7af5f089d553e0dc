import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { highestBundleLimits, type BundleEntry } from "@agentflow/engine";
import { CommandError } from "../exit.ts";

/** Never part of a bundle: they are made from something else. */
const IGNORED = new Set(["node_modules", ".git", ".DS_Store"]);

type Walk = { root: string; files: BundleEntry[]; bytes: number };

/**
 * All files of a flow folder (F-1, F-2), links followed as long as they stay inside. Refuses what no bundle can hold, with
 * the path, and stops reading at the highest limits a server can have (S-20): the server knows its own.
 */
export async function readFolder(folder: string): Promise<readonly BundleEntry[]> {
  const root = await realpath(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(
      cause.code === "ENOENT" ? `there is no folder ${folder}` : `cannot read ${folder}: ${cause.message}`,
    );
  });
  if (!(await stat(root)).isDirectory()) throw new CommandError(`${folder} is no folder`);
  const walk: Walk = { root, files: [], bytes: 0 };
  await readBelow(walk, root, "", [root]);
  return walk.files;
}

/** `above` are the real folders that are being read, so that a link to one of them does not go round for ever. */
async function readBelow(
  walk: Walk,
  folder: string,
  prefix: string,
  above: readonly string[],
): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  for (const name of names) {
    if (IGNORED.has(name)) continue;
    const path = `${prefix}${name}`;
    const real = await realFile(walk.root, join(folder, name), path);
    const info = await stat(real);
    if (info.isDirectory()) {
      if (above.includes(real)) throw new CommandError(`${path} is a link to a folder around it`);
      await readBelow(walk, real, `${path}/`, [...above, real]);
    } else if (info.isFile()) {
      await readInto(walk, real, path);
    } else {
      throw new CommandError(`${path} is neither a file nor a folder`);
    }
  }
}

/** Where a path really is; a link that leaves the flow folder is refused. */
async function realFile(root: string, file: string, path: string): Promise<string> {
  if (!(await lstat(file)).isSymbolicLink()) return file;
  const target = await realpath(file).catch(() => {
    throw new CommandError(`${path} is a link to nothing`);
  });
  if (target !== root && !target.startsWith(`${root}${sep}`))
    throw new CommandError(`${path} is a link that leaves the flow folder`);
  return target;
}

/** The size is looked at before the file is read, and reading stops there: files grow, and some are endless. */
async function readInto(walk: Walk, file: string, path: string): Promise<void> {
  if (walk.files.length >= highestBundleLimits.maxFiles)
    throw new CommandError(`the folder has more than ${highestBundleLimits.maxFiles} files`);
  const handle = await open(file);
  try {
    const { size, mode } = await handle.stat();
    walk.bytes += size;
    if (walk.bytes > highestBundleLimits.maxBytes)
      throw new CommandError(`the folder holds more than ${highestBundleLimits.maxBytes} bytes (at ${path})`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    walk.files.push({ path, bytes: bytes.subarray(0, bytesRead), executable: (mode & 0o100) !== 0 });
  } finally {
    await handle.close();
  }
}
