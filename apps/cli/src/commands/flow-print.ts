import { text } from "node:stream/consumers";
import { irSchema } from "@agentflow/core";
import type { Ir } from "@agentflow/core";
import { parseFlow, roundTrip } from "@agentflow/dsl";
import { sayJson } from "../console/out.ts";
import { plain } from "../console/text.ts";
import { CommandError, EXIT } from "../exit.ts";
import { showFindings } from "../flow/findings.ts";
import { isFile, readIrFile } from "../flow/json-file.ts";
import { readFolder } from "../flow/read-folder.ts";
import { takeApart } from "../flow/submission.ts";

/**
 * Prints the flow file of an IR (F-18): of a JSON file, of stdin for `-`, or of a flow folder, whose file is read and written
 * anew. An IR that the text would not say is refused, and nothing is printed.
 */
export async function printCommand(from: string, { json = false }: { json?: boolean }): Promise<void> {
  const ir = await readIr(from, json);
  if (ir === null) {
    process.exitCode = EXIT.failed;
    return;
  }
  const printed = roundTrip(ir);
  if (!printed.ok) throw new CommandError(printed.message);
  if (json) sayJson({ source: printed.text });
  // What is piped on is the exact text; a terminal is shown nothing that could do anything to it (S-21).
  else process.stdout.write(process.stdout.isTTY ? plain(printed.text) : printed.text);
}

/** Null when the folder's flow file has errors, which have been shown then. */
async function readIr(from: string, json: boolean): Promise<Ir | null> {
  if (from !== "-" && !(await isFile(from))) {
    const { source, files } = takeApart(await readFolder(from));
    const { ir, findings } = parseFlow({ text: source, files: new Set(files.map(({ path }) => path)) });
    if (findings.length === 0) return ir;
    showFindings({ errors: findings, warnings: [] }, json);
    return null;
  }
  const content = from === "-" ? await text(process.stdin) : await readIrFile(from);
  const read = irSchema.safeParse(parseJson(from, content));
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${["$", ...path].join(".")}: ${message}`);
  throw new CommandError(`${from} holds no IR: ${problems.join("; ")}`);
}

function parseJson(from: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CommandError(`${from} is not JSON: ${(cause as Error).message}`);
  }
}
