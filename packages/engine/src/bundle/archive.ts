import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { packTar, unpackTar } from "modern-tar";
import {
  type Bundle,
  type BundleEntry,
  type BundleLimits,
  type BundleResult,
  bundleLimits,
  makeBundle,
  refused,
} from "./bundle.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What tar adds per file at most: two headers, an extended header with the longest path, padding. */
const TAR_OVERHEAD_PER_FILE = 4096;
const TAR_END = 10_240;

/** The bundle as a gzipped tar: sorted, no times, no owners, so equal bundles give equal archives. */
export async function packBundle(bundle: Bundle): Promise<Uint8Array> {
  const archive = await packTar(
    bundle.entries.map(({ path, bytes, executable }) => ({
      header: {
        name: path,
        size: bytes.length,
        type: "file",
        mode: executable ? 0o755 : 0o644,
        mtime: new Date(0),
      },
      body: bytes,
    })),
  );
  return compress(archive);
}

/**
 * Reads an archive from anywhere: never decodes more than the limits allow, takes plain files only, and applies every check of
 * `makeBundle` (S-20). The digest is computed from what was read, so it proves the content.
 */
export async function unpackBundle(
  archive: Uint8Array,
  limits: BundleLimits = bundleLimits,
): Promise<BundleResult> {
  const maxOutputLength = limits.maxBytes + limits.maxFiles * TAR_OVERHEAD_PER_FILE + TAR_END;
  let tar: Uint8Array;
  try {
    tar = await decompress(archive, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      return refused("too_large", null, `The archive unpacks to more than ${limits.maxBytes} bytes.`);
    }
    return refused("not_an_archive", null, "The bundle is not a gzipped tar archive.");
  }
  const files: BundleEntry[] = [];
  try {
    for (const { header, data } of await unpackTar(tar, { strict: true })) {
      if (header.type !== "file" || data === undefined) {
        return refused(
          "entry_unsupported",
          header.name,
          `${JSON.stringify(header.name)} is a ${header.type ?? "special file"}; a bundle holds plain files only.`,
        );
      }
      files.push({
        path: header.name,
        bytes: data,
        executable: ((header.mode ?? 0) & 0o100) !== 0,
      });
    }
  } catch {
    return refused("not_an_archive", null, "The tar archive of the bundle is damaged.");
  }
  return makeBundle(files, limits);
}
