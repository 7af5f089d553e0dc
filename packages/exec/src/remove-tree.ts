import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a tree whatever its permissions; one that is gone already is fine. */
export async function removeTree(root: string): Promise<void> {
  const stat = await lstat(root).catch(() => null);
  if (stat?.isDirectory() === true) await openUp(root);
  await rm(root, { recursive: true, force: true });
}

async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openUp(join(folder, entry.name));
}
