import { readFile, stat } from "node:fs/promises";
import { decodeUtf8Strict, members, readWhileOperation, scan } from "@agentflow/core";
import { CommandError } from "../exit.ts";

/** Whether the path is there and no folder: a flow is a folder, or one file of JSON, which may be a pipe. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

/**
 * The IR, as JSON text, of a file that holds one (F-19) or a `WhileOperation`, which becomes one (OP-6). Refuses what is neither,
 * saying why; whether the IR is a flow lint says.
 */
export async function readIrFile(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: Error) => {
    throw new CommandError(`cannot read ${path}: ${cause.message}`);
  });
  const text = decodeUtf8Strict(bytes);
  const scanned = text === null ? null : scan(text);
  if (!scanned?.ok)
    throw new CommandError(`${path} is not JSON: ${scanned ? scanned.error.message : "it is not UTF-8"}`);
  if (scanned.kind === "object" && isIr(scanned.text)) return scanned.text;
  const made = readWhileOperation(scanned.text);
  if (!made.ok) throw new CommandError(`${path}: ${made.failure.message} (${made.failure.code})`);
  return JSON.stringify(made.ir);
}

function isIr(text: string): boolean {
  const given = members(text);
  return given.has("nodes") || given.has("schema");
}
