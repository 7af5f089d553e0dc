// Builds the console into apps/web/dist when its sources have changed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** All that decides what the built console is. */
const SOURCES = [
  "apps/web/src",
  "apps/web/index.html",
  "apps/web/package.json",
  "apps/web/vite.config.ts",
  "packages/core/src",
  "packages/contract/src",
  "packages/dsl/src",
  "pnpm-lock.yaml",
];

const stampOf = (root) => join(root, "apps/web/.cache/built");
const pageOf = (root) => join(root, "apps/web/dist/index.html");

/** Whether the built console is missing or not that of the present sources; false where there is none to build. */
export function isConsoleStale(root) {
  if (!existsSync(join(root, "apps/web/vite.config.ts"))) return false;
  if (!existsSync(pageOf(root)) || !existsSync(stampOf(root))) return true;
  return readFileSync(stampOf(root), "utf8") !== digestOf(root);
}

function digestOf(root) {
  const hash = createHash("sha256");
  for (const source of SOURCES)
    for (const file of filesOf(root, source))
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** Files of a path in a fixed order, without tests. */
function filesOf(root, path) {
  if (!existsSync(join(root, path))) return [];
  const entries = /\.\w+$/.test(path)
    ? null
    : readdirSync(join(root, path), { withFileTypes: true, recursive: true });
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .toSorted();
}

function build(root) {
  // The sources as they are before: a change while it builds makes the result stale again.
  const digest = digestOf(root);
  rmSync(stampOf(root), { force: true });
  const folder = join(root, "apps/web");
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"],
    {
      cwd: folder,
      stdio: ["ignore", 2, 2],
    },
  );
  if (status !== 0) process.exit(1);
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), digest);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
  if (isConsoleStale(root)) build(root);
}
