import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CommandFile } from "@agentflow/engine";
import { giveTo, type StepUser } from "./step-user.ts";

/** Above this many bytes a value is only in its file: Linux takes 128 KiB in one string, name included (L-23). */
const MAX_ENV_BYTES = 128_000;

/** Writes a file of mode 0600 that must not exist yet, for the step's user. */
export async function writePrivate(
  path: string,
  content: string | Uint8Array,
  user: StepUser | null,
): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: "wx" });
  giveTo(user, path);
}

/**
 * Writes the values into private files, exactly their bytes, and returns the variables that announce them: `<name>_FILE` always,
 * `<name>` itself while it is asked for, small and free of NUL (L-23).
 */
export async function writeInputFiles(
  folder: string,
  files: Readonly<Record<string, CommandFile>>,
  user: StepUser | null,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [name, { fileName, text, alsoEnv }] of Object.entries(files)) {
    if (basename(fileName) !== fileName)
      throw new Error(`${JSON.stringify(fileName)} is no plain file name.`);
    const bytes = Buffer.from(text);
    const path = join(folder, fileName);
    await writePrivate(path, bytes, user);
    variables[`${name}_FILE`] = path;
    if (alsoEnv && bytes.length <= MAX_ENV_BYTES && !text.includes("\0")) variables[name] = text;
  }
  return variables;
}
