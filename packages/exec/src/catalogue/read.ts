import { access, readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { scan } from "@agentflow/core";
import { type Catalogue, catalogueSchema } from "./schema.ts";

/** A catalogue with the folder its relative paths start from; or everything that is wrong with it, as sentences. */
export type CatalogueFile =
  | { readonly ok: true; readonly catalogue: Catalogue; readonly folder: string }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads and checks a catalogue file (S-28); never throws for what is in it. */
export async function readCatalogue(path: string): Promise<CatalogueFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return { ok: false, problems: [`The catalogue ${path} cannot be read (${codeOf(error)}).`] };
  }
  const scanned = scan(text);
  if (!scanned.ok)
    return { ok: false, problems: [`The catalogue ${path} is no JSON: ${scanned.error.message}.`] };
  const parsed = catalogueSchema.safeParse(JSON.parse(scanned.text));
  if (parsed.success) return { ok: true, catalogue: parsed.data, folder: dirname(resolve(path)) };
  const problems = parsed.error.issues.map(
    (issue) => `The catalogue ${path}, at ${["$", ...issue.path].join(".")}: ${issue.message}.`,
  );
  return { ok: false, problems };
}

/** Checks a catalogue with everything it points to; for the start of a process. Returns all problems. */
export async function catalogueProblems(path: string): Promise<readonly string[]> {
  const read = await readCatalogue(path);
  if (!read.ok) return read.problems;
  const { catalogue, folder } = read;
  const problems: string[] = [];
  for (const kind of ["knowledge", "skills"] as const) {
    for (const [id, { file }] of Object.entries(catalogue[kind])) {
      const text = file === undefined ? "" : await readText(folder, file);
      if (text === null)
        problems.push(`The file of ${kind} ${id} is not there or is no UTF-8 text: ${file}.`);
    }
  }
  for (const [id, workspace] of Object.entries(catalogue.workspaces)) {
    const problem = await folderProblem(resolve(folder, workspace.path));
    if (problem !== null) problems.push(`The folder of workspace ${id} ${problem}: ${workspace.path}.`);
  }
  return problems;
}

/** Text of a file beside the catalogue, strict UTF-8; null when there is none. */
export async function readText(folder: string, file: string): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(resolve(folder, file)));
  } catch {
    return null;
  }
}

/** What keeps a path from being a workspace; null when nothing does. */
export async function folderProblem(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isDirectory()) return "is no folder";
    await access(path);
    return null;
  } catch (error) {
    return `cannot be opened (${codeOf(error)})`;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
