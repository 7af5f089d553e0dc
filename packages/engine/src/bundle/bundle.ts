import { createHash } from "node:crypto";
import { bundlePathProblem, clashingPath } from "./path.ts";

/** One file of a flow folder. `path` is relative with `/`; `executable` is the owner's executable bit. */
export type BundleEntry = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
};

/** A flow folder as data, addressed by its content: equal entries have equal digests on every host (F-2). */
export type Bundle = { readonly digest: string; readonly entries: readonly BundleEntry[] };

export type BundleLimits = { readonly maxBytes: number; readonly maxFiles: number };

/** F-2 and S-20: what a bundle may hold, counted on the decoded files. */
export const bundleLimits: BundleLimits = { maxBytes: 16 * 1024 * 1024, maxFiles: 4096 };

/** The most an operator may allow (`AGENTFLOW_MAX_BUNDLE_BYTES`): what is registered already is read within these. */
export const highestBundleLimits: BundleLimits = { ...bundleLimits, maxBytes: 256 * 1024 * 1024 };

export type BundleProblemKind =
  | "path_unsafe"
  | "path_clash"
  | "too_many_files"
  | "too_large"
  | "not_an_archive"
  | "entry_unsupported";

/** Why a set of files or an archive is no bundle. `path` is the file meant, null when it is about the whole. */
export type BundleProblem = {
  readonly kind: BundleProblemKind;
  readonly path: string | null;
  readonly message: string;
};

export type BundleResult =
  | { readonly ok: true; readonly bundle: Bundle }
  | { readonly ok: false; readonly problem: BundleProblem };

const encoder = new TextEncoder();

/** Checks files against the path rules and limits and gives them their digest; entries come back sorted by path (F-2, S-20). */
export function makeBundle(files: readonly BundleEntry[], limits: BundleLimits = bundleLimits): BundleResult {
  if (files.length > limits.maxFiles) {
    return refused(
      "too_many_files",
      null,
      `The bundle has ${files.length} files; at most ${limits.maxFiles} are allowed.`,
    );
  }
  let total = 0;
  for (const { path, bytes } of files) {
    const problem = bundlePathProblem(path);
    if (problem !== null)
      return refused("path_unsafe", path, `The path ${JSON.stringify(path)} is refused: ${problem}.`);
    total += bytes.length;
  }
  if (total > limits.maxBytes) {
    return refused(
      "too_large",
      null,
      `The bundle holds ${total} bytes; at most ${limits.maxBytes} are allowed.`,
    );
  }
  const entries = files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const clash = clashingPath(entries.map((entry) => entry.path));
  if (clash !== null) {
    return refused(
      "path_clash",
      clash,
      `The path ${JSON.stringify(clash)} clashes with another one: the same but for letter case or form of its accents, or a file where the other needs a folder.`,
    );
  }
  return { ok: true, bundle: { digest: bundleDigest(entries), entries } };
}

export function refused(
  kind: BundleProblemKind,
  path: string | null,
  message: string,
): { ok: false; problem: BundleProblem } {
  return { ok: false, problem: { kind, path, message } };
}

/** SHA-256 (64 hex) over entries sorted by path. Every field carries its length, so no two sets of files share their input. */
export function bundleDigest(entries: readonly BundleEntry[]): string {
  const hash = createHash("sha256").update("agentflow-bundle-1\n");
  for (const { path, bytes, executable } of entries) {
    hash.update(`${executable ? "x" : "-"} ${encoder.encode(path).length} ${bytes.length}\n`);
    hash.update(path).update(bytes);
  }
  return hash.digest("hex");
}
