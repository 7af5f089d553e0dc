import { resolve } from "node:path";
import type { ContextReferences } from "@agentflow/core";
import type { ContextContent, ContextSource, McpServer, Workspace } from "@agentflow/engine";
import { folderProblem, readCatalogue, readText } from "./read.ts";
import type { Catalogue } from "./schema.ts";

/**
 * The operator's catalogue as the engine asks it. The file is read anew each time, so that a start or resume gets what it says
 * then (L-49). Everything a flow asks for and does not get is named at once.
 */
export function createCatalogue(path: string): ContextSource {
  return {
    async resolve(references) {
      const read = await readCatalogue(path);
      if (!read.ok) return { ok: false, message: read.problems.join(" ") };
      const problems: string[] = [];
      const content = await gather(read.catalogue, read.folder, references, problems);
      return problems.length === 0 ? { ok: true, content } : { ok: false, message: problems.join(" ") };
    },
    async kindsOf(ids) {
      const read = await readCatalogue(path);
      if (!read.ok) return { ok: false, message: read.problems.join(" ") };
      const found = ids.map((id) => [id, kindOf(read.catalogue, id)] as const);
      const missing = found.flatMap(([id, kind]) => (kind === null ? [id] : []));
      if (missing.length > 0)
        return { ok: false, message: `The operator's catalogue has no entry ${missing.join(", ")}.` };
      return { ok: true, kinds: found.flatMap(([, kind]) => kind ?? []) };
    },
  };
}

function kindOf(catalogue: Catalogue, id: string): "skills" | "knowledge" | "mcp" | "workspace" | null {
  const kind = (["skills", "knowledge", "mcp"] as const).find((one) => Object.hasOwn(catalogue[one], id));
  return kind ?? (Object.hasOwn(catalogue.workspaces, id) ? "workspace" : null);
}

async function gather(
  catalogue: Catalogue,
  folder: string,
  references: ContextReferences,
  problems: string[],
): Promise<ContextContent> {
  const text = async (
    what: string,
    { text: written, file }: { text?: string | undefined; file?: string | undefined },
  ) => {
    const found = written ?? (file === undefined ? null : await readText(folder, file));
    if (found === null) problems.push(`The operator's file of ${what} cannot be read.`);
    return found ?? "";
  };
  const known = <T>(
    kind: string,
    entries: Readonly<Record<string, T>>,
    ids: readonly string[],
  ): [string, T][] =>
    ids.flatMap((id): [string, T][] => {
      const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
      if (entry === undefined) problems.push(`The operator's catalogue has no ${kind} ${id}.`);
      return entry === undefined ? [] : [[id, entry]];
    });
  const knowledge = known("knowledge", catalogue.knowledge, references.knowledge);
  const skills = known("skill", catalogue.skills, references.skills);
  const mcp = known("MCP server", catalogue.mcp, references.mcp);
  return {
    knowledge: await Promise.all(
      knowledge.map(async ([id, entry]) => ({
        id,
        title: entry.title,
        text: await text(`knowledge ${id}`, entry),
      })),
    ),
    skills: await Promise.all(
      skills.map(async ([id, entry]) => ({
        id,
        description: entry.description,
        text: await text(`skill ${id}`, entry),
      })),
    ),
    workspace: await workspaceOf(catalogue, folder, references, problems),
    mcp: mcp.map(([id, entry]): McpServer =>
      "command" in entry ? { id, kind: "stdio", ...entry } : { id, kind: "http", ...entry },
    ),
  };
}

async function workspaceOf(
  catalogue: Catalogue,
  folder: string,
  { workspace }: ContextReferences,
  problems: string[],
): Promise<Workspace | null> {
  if (workspace === null) return null;
  const { id, access } = workspace;
  const entry = Object.hasOwn(catalogue.workspaces, id) ? catalogue.workspaces[id] : undefined;
  if (entry === undefined) {
    problems.push(`The operator's catalogue has no workspace ${id}.`);
    return null;
  }
  if (access === "read-write" && entry.access === "read-only")
    problems.push(`The operator lends workspace ${id} read-only; the flow asks for read-write.`);
  const path = resolve(folder, entry.path);
  const problem = await folderProblem(path);
  if (problem !== null) problems.push(`The folder of workspace ${id} ${problem}.`);
  return { id, path, access };
}
