import { members, elements } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { decodeString, quote } from "../json/strings.ts";
import { arrayText, objectText } from "../json/write.ts";

/** What a step may do in a workspace. It binds agents and commands by word; a sandbox binds them by force. */
export const workspaceAccesses = ["read-only", "read-write"] as const;
export type WorkspaceAccess = (typeof workspaceAccesses)[number];

/** What a context is made of while it flows through a graph: names out of the operator's catalogue, never what they stand for (L-49). */
export type ContextReferences = {
  readonly knowledge: readonly string[];
  readonly skills: readonly string[];
  readonly mcp: readonly string[];
  readonly workspace: { readonly id: string; readonly access: WorkspaceAccess } | null;
};

const lists = ["knowledge", "skills", "mcp"] as const;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** No resources at all. */
export const noReferences: ContextReferences = { knowledge: [], skills: [], mcp: [], workspace: null };

/** Whether a text may be an id of the catalogue: a letter or digit, then up to 127 letters, digits, dots, hyphens, underscores. */
export function isCatalogueId(text: string): boolean {
  return ID.test(text);
}

/** Whether a text is a legal access to a workspace. */
export function isWorkspaceAccess(text: string): text is WorkspaceAccess {
  return workspaceAccesses.some((access) => access === text);
}

/**
 * Ids as a pin holds them: a JSON array of texts, or texts between commas. Null when one is no id, none is there, or one stands
 * twice (D51).
 */
export function readIds(text: string): readonly string[] | null {
  const trimmed = text.trim();
  const ids = trimmed.startsWith("[") ? readTextArray(trimmed) : trimmed.split(",").map((id) => id.trim());
  if (ids === null || ids.length === 0 || !ids.every(isCatalogueId)) return null;
  return new Set(ids).size === ids.length ? ids : null;
}

/** The text of a context slot. Equal references give equal text. */
export function referencesText({ workspace, ...given }: ContextReferences): string {
  const parts = lists
    .filter((list) => given[list].length > 0)
    .map((list) => [list, arrayText(given[list].map(quote))] as const);
  const place =
    workspace === null
      ? []
      : [["workspace", JSON.stringify({ id: workspace.id, access: workspace.access })] as const];
  return objectText([...parts, ...place]);
}

/** The references in a context slot's text; none for a blank one, null for text that is no context. Never throws. */
export function readReferences(text: string): ContextReferences | null {
  if (text.trim() === "") return noReferences;
  const scanned = scan(text);
  if (!scanned.ok || scanned.kind !== "object") return null;
  const given = members(scanned.text);
  if ([...given.keys()].some((key) => key !== "workspace" && !lists.some((list) => list === key)))
    return null;
  const idsOf = (list: (typeof lists)[number]) => {
    const value = given.get(list);
    return value === undefined ? [] : readIds(value);
  };
  const [knowledge, skills, mcp] = [idsOf("knowledge"), idsOf("skills"), idsOf("mcp")];
  const place = given.get("workspace");
  const workspace = place === undefined ? null : readWorkspace(place);
  if (!knowledge || !skills || !mcp || (place !== undefined && workspace === null)) return null;
  return { knowledge, skills, mcp, workspace };
}

/** One context out of several, in their order; null when they name two different workspaces. */
export function mergeReferences(given: readonly ContextReferences[]): ContextReferences | null {
  const all = (list: (typeof lists)[number]) => [...new Set(given.flatMap((one) => one[list]))];
  const places = given.flatMap(({ workspace }) => workspace ?? []);
  const [first = null, ...others] = places;
  if (others.some(({ id, access }) => id !== first?.id || access !== first.access)) return null;
  return { knowledge: all("knowledge"), skills: all("skills"), mcp: all("mcp"), workspace: first };
}

/** The references one by one, as a loop's fingerprint holds them (L-38). */
export function referenceList({ workspace, ...given }: ContextReferences): readonly string[] {
  const ids = lists.flatMap((list) => given[list].map((id) => `${list}:${id}`));
  return workspace === null ? ids : [...ids, `workspace:${workspace.id}:${workspace.access}`];
}

function readWorkspace(text: string): ContextReferences["workspace"] {
  if (!text.startsWith("{")) return null;
  const given = members(text);
  const [id, access] = [given.get("id"), given.get("access")].map((value) =>
    value?.startsWith('"') ? decodeString(value) : "",
  );
  if (id === undefined || access === undefined || given.size !== 2) return null;
  return isCatalogueId(id) && isWorkspaceAccess(access) ? { id, access } : null;
}

function readTextArray(text: string): readonly string[] | null {
  const scanned = scan(text);
  if (!scanned.ok || scanned.kind !== "array") return null;
  const values = elements(scanned.text);
  return values.every((value) => value.startsWith('"')) ? values.map(decodeString) : null;
}
