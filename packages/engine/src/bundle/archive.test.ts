import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, it } from "vitest";
import { packBundle, unpackBundle } from "./archive.ts";
import { type Bundle, type BundleEntry, makeBundle } from "./bundle.ts";

function bundleOf(files: readonly BundleEntry[]): Bundle {
  const result = makeBundle(files);
  if (!result.ok) throw new Error(result.problem.message);
  return result.bundle;
}

const some: readonly BundleEntry[] = [
  {
    path: "workspace.flow.js",
    bytes: Buffer.from("export const run = flow(a);"),
    executable: false,
  },
  { path: "scripts/run", bytes: Buffer.from("#!/bin/sh\n"), executable: true },
  { path: "empty", bytes: new Uint8Array(0), executable: false },
  {
    path: `${"deep/".repeat(40)}日本 "q" =x.bin`,
    bytes: Uint8Array.from({ length: 1000 }, (_, index) => index % 256),
    executable: false,
  },
];

const kindOf = async (archive: Uint8Array, limits?: { maxBytes: number; maxFiles: number }) => {
  const result = await unpackBundle(archive, limits);
  return result.ok ? null : result.problem.kind;
};

type Entry = Parameters<typeof packTar>[0][number];
const tarOf = async (...entries: Entry[]) => gzipSync(await packTar(entries));

describe("the archive of a bundle", () => {
  it("F-2: unpacks to the same files, bits and digest", async () => {
    const bundle = bundleOf(some);
    const result = await unpackBundle(await packBundle(bundle));
    expect(result.ok).toBe(true);
    if (!result.ok) return;
    expect(result.bundle.digest).toBe(bundle.digest);
    expect(result.bundle.entries.map(({ path, executable }) => ({ path, executable }))).toEqual(
      bundle.entries.map(({ path, executable }) => ({ path, executable })),
    );
    expect(result.bundle.entries.map(({ bytes }) => Buffer.from(bytes))).toEqual(
      bundle.entries.map(({ bytes }) => Buffer.from(bytes)),
    );
  });

  it("F-2: equal bundles give equal archives whatever the order and the time", async () => {
    const first = await packBundle(bundleOf(some));
    const second = await packBundle(bundleOf(some.toReversed()));
    expect(Buffer.compare(first, second)).toBe(0);
  });

  it.each(["../x", "/etc/x", "a/../../x", "a\\..\\x"])(
    "S-20: an archive with the path %j is refused",
    async (name) => {
      expect(await kindOf(await tarOf({ header: { name, size: 1 }, body: "x" }))).toBe("path_unsafe");
    },
  );

  it.each(["symlink", "link", "character-device", "fifo", "directory"] as const)(
    "S-20: an archive with a %s is refused",
    async (type) => {
      expect(
        await kindOf(await tarOf({ header: { name: "a", size: 0, type, linkname: "/etc/passwd" } })),
      ).toBe("entry_unsupported");
    },
  );

  it("S-20: an archive that names one file twice is refused", async () => {
    const entry = { header: { name: "a", size: 1 }, body: "x" };
    expect(await kindOf(await tarOf(entry, entry))).toBe("path_clash");
  });

  it("S-20: a bomb is refused without being unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await kindOf(bomb)).toBe("too_large");
  });

  it("S-20: exactly the size limit unpacks, one byte more and one file more are refused", async () => {
    const archive = await packBundle(bundleOf(some));
    const bytes = some.reduce((sum, entry) => sum + entry.bytes.length, 0);
    expect(await kindOf(archive, { maxBytes: bytes, maxFiles: some.length })).toBeNull();
    expect(await kindOf(archive, { maxBytes: bytes - 1, maxFiles: some.length })).toBe("too_large");
    expect(await kindOf(archive, { maxBytes: bytes, maxFiles: some.length - 1 })).toBe("too_many_files");
  });

  it("S-20: what is no archive, or a cut one, is refused", async () => {
    const archive = await packBundle(bundleOf(some));
    expect(await kindOf(new Uint8Array(0))).toBe("not_an_archive");
    expect(await kindOf(Buffer.from("hello"))).toBe("not_an_archive");
    expect(await kindOf(gzipSync("hello"))).toBe("not_an_archive");
    expect(await kindOf(archive.subarray(0, archive.length - 20))).toBe("not_an_archive");
  });
});
