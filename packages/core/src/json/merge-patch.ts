import { members } from "./members.ts";
import { objectText } from "./write.ts";

/**
 * A JSON merge patch (RFC 7396) on texts that `scan` has passed: members of an object patch are merged, `null` removes one, any
 * other patch takes the place of the target. Everything it does not touch keeps its exact spelling and order (L-46).
 */
export function mergePatch(target: string, patch: string): string {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? members(target) : new Map<string, string>();
  for (const [key, value] of members(patch)) {
    if (value === "null") merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key) ?? "null", value));
  }
  return objectText(merged);
}

function isObject(text: string): boolean {
  return text.startsWith("{");
}
