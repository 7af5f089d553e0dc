import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { layoutSchema } from "@agentflow/core";
import type { Layout } from "@agentflow/core";
import { CommandError } from "../exit.ts";

/** Name of the file of positions and sizes inside a flow folder (F-1). */
export const LAYOUT_FILE = "workspace.layout.json";

/** The layout in the text of a layout file; refuses what is no layout with its place in it. */
export function readLayout(text: string): Layout {
  const read = layoutSchema.safeParse(parseJson(text));
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${["$", ...path].join(".")}: ${message}`);
  throw new CommandError(`${LAYOUT_FILE} is no layout: ${problems.join("; ")}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${LAYOUT_FILE} is not JSON: ${(cause as Error).message}`);
  }
}

/** A layout as its file: one node a line, so that two people's changes merge. */
export function layoutText({ nodes }: Layout): string {
  const lines = Object.entries(nodes).map(
    ([id, { x, y, width, height }]) =>
      `    ${JSON.stringify(id)}: ${JSON.stringify({ x, y, width, height })}`,
  );
  return lines.length === 0 ? '{ "nodes": {} }\n' : `{\n  "nodes": {\n${lines.join(",\n")}\n  }\n}\n`;
}

/** Puts the layout file of a flow folder in place whole, or leaves the one there as it is. */
export async function writeLayout(folder: string, layout: Layout): Promise<void> {
  const path = join(folder, LAYOUT_FILE);
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, layoutText(layout), { flag: "wx" });
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new CommandError(`cannot write ${path}: ${(cause as Error).message}`);
  }
}
