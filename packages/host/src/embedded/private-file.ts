import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import type { z } from "zod";

/** Writes a JSON file that only its owner can read (0600): whole or not at all, also when the power fails. */
export function writePrivateJson(file: string, value: unknown): void {
  const draft = `${file}.${randomUUID()}`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** The content of such a file, null when it is missing or is not of this shape. */
export function readPrivateJson<T>(file: string, shape: z.ZodType<T>): T | null {
  try {
    return shape.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}
