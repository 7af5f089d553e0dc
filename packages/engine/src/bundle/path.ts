const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 1024;

const encoder = new TextEncoder();

/**
 * Says what is wrong with a path inside a bundle, or null when it is safe to join to a folder on any host: relative, `/` between
 * non-empty segments, no `.` or `..`, no NUL, no backslash, no drive letter, sizes every file system takes (S-20).
 */
export function bundlePathProblem(path: string): string | null {
  if (path === "") return "it is empty";
  if (path.includes("\0")) return "it contains a NUL character";
  if (/\p{Surrogate}/u.test(path)) return "it contains a broken surrogate";
  if (path.includes("\\")) return "it contains a backslash";
  if (path.startsWith("/")) return "it is absolute";
  if (/^[A-Za-z]:/.test(path)) return "it starts with a drive letter";
  if (encoder.encode(path).length > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split("/")) {
    if (segment === "") return "it has an empty segment";
    if (segment === "." || segment === "..") return `it has a segment \`${segment}\``;
    if (encoder.encode(segment).length > MAX_SEGMENT_BYTES)
      return `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return null;
}

/**
 * Finds two paths that cannot both exist on every host: equal when letter case and Unicode form are ignored (folders included), or
 * one being a folder of the other. Returns the later one, or null (S-20 "case tricks").
 */
export function clashingPath(paths: readonly string[]): string | null {
  const spelling = new Map<string, string>();
  const files = new Set<string>();
  for (const path of paths) {
    const segments = path.split("/");
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const part = segments.slice(0, depth).join("/");
      const key = part.normalize("NFC").toLowerCase();
      const seen = spelling.get(key);
      const isFile = depth === segments.length;
      if (seen !== undefined && (seen !== part || isFile || files.has(key))) return path;
      spelling.set(key, part);
      if (isFile) files.add(key);
    }
  }
  return null;
}
