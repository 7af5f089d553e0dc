import { describe, expect, it } from "vitest";
import { type BundleEntry, bundleDigest, makeBundle } from "./bundle.ts";
import { bundlePathProblem } from "./path.ts";

const file = (path: string, text = "x", executable = false): BundleEntry => ({
  path,
  bytes: Buffer.from(text),
  executable,
});

function problemOf(files: readonly BundleEntry[], limits = { maxBytes: 100, maxFiles: 4 }) {
  const result = makeBundle(files, limits);
  return result.ok ? null : result.problem.kind;
}

describe("paths of a bundle", () => {
  it.each([
    "..",
    "../x",
    "a/../b",
    "a/..",
    "/etc/passwd",
    "a//b",
    "a/",
    "./a",
    "a/./b",
    "",
    "a\0b",
    "a\\b",
    "C:/x",
    "c:x",
    "a\uD800",
  ])("S-20: %j is refused", (path) => {
    expect(bundlePathProblem(path)).not.toBeNull();
    expect(problemOf([file(path)])).toBe("path_unsafe");
  });

  it.each(["a", "a/b.mjs", "..a", "a..", "…/x", "scripts/日本.py", ".env", "a b/c'd\"e", "x".repeat(255)])(
    "S-20: %j is taken",
    (path) => {
      expect(problemOf([file(path)])).toBeNull();
    },
  );

  it("S-20: a segment of 256 bytes and a path of 1025 bytes are refused", () => {
    expect(bundlePathProblem("é".repeat(128))).toContain("255");
    expect(bundlePathProblem(`${"a/".repeat(512)}a`)).toContain("1024");
    expect(bundlePathProblem(`${"a/".repeat(511)}aa`)).toBeNull();
  });

  it.each([
    ["equal paths", "a/b", "a/b"],
    ["letter case", "Run.sh", "run.sh"],
    ["letter case of a folder", "Scripts/a", "scripts/b"],
    ["both normal forms of é", "caf\u00e9", "cafe\u0301"],
    ["a file that is also a folder", "a", "a/b"],
    ["a file that is also a folder in other letters", "A", "a/b"],
  ])("S-20: two paths clash: %s", (_case, first, second) => {
    expect(problemOf([file(first), file(second)])).toBe("path_clash");
    expect(problemOf([file(second), file(first)])).toBe("path_clash");
  });

  it("S-20: the message about a clash names every way two paths can clash", () => {
    const result = makeBundle([file("a"), file("a/b")], { maxBytes: 100, maxFiles: 4 });
    expect(result).toMatchObject({ ok: false, problem: { path: "a/b" } });
    expect(result.ok ? "" : result.problem.message).toMatch(/"a\/b".*letter case.*accents.*folder/);
  });
});

describe("limits of a bundle", () => {
  it("S-20: exactly the byte and file limits pass, one more of either is refused", () => {
    expect(problemOf([file("a", "x".repeat(60)), file("b", "x".repeat(40))])).toBeNull();
    expect(problemOf([file("a", "x".repeat(60)), file("b", "x".repeat(41))])).toBe("too_large");
    expect(problemOf(["a", "b", "c", "d"].map((path) => file(path)))).toBeNull();
    expect(problemOf(["a", "b", "c", "d", "e"].map((path) => file(path)))).toBe("too_many_files");
  });

  it("F-2: by default 16 MiB and 4096 files", () => {
    const many = Array.from({ length: 4096 }, (_, index) => file(`f${index}`, ""));
    expect(makeBundle(many).ok).toBe(true);
    expect(makeBundle([...many, file("one-more", "")]).ok).toBe(false);
    expect(makeBundle([{ ...file("big"), bytes: new Uint8Array(16 * 1024 * 1024) }]).ok).toBe(true);
    expect(makeBundle([{ ...file("big"), bytes: new Uint8Array(16 * 1024 * 1024 + 1) }]).ok).toBe(false);
  });
});

describe("the digest of a bundle", () => {
  const digestOf = (...files: BundleEntry[]) => {
    const result = makeBundle(files);
    return result.ok ? result.bundle.digest : "";
  };

  it("F-2: does not depend on the order of the files", () => {
    expect(digestOf(file("b"), file("a"))).toBe(digestOf(file("a"), file("b")));
    expect(digestOf(file("a"))).toMatch(/^[0-9a-f]{64}$/);
  });

  it("F-2: changes with a byte, a name, the executable bit and with where one file ends", () => {
    const digests = [
      digestOf(),
      digestOf(file("a", "xy")),
      digestOf(file("a", "xz")),
      digestOf(file("b", "xy")),
      digestOf(file("a", "xy", true)),
      digestOf(file("a", "x"), file("b", "y")),
      bundleDigest([file("ab", "y")]),
      bundleDigest([file("a", "by")]),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
