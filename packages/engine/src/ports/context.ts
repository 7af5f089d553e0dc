import type { ContextReferences, WorkspaceAccess } from "@agentflow/core";

/** A text an agent may rely on. */
export type KnowledgeText = { readonly id: string; readonly title: string; readonly text: string };

/** Instructions for one kind of task. */
export type SkillText = { readonly id: string; readonly description: string; readonly text: string };

/** A folder of the operator's, as an absolute path. */
export type Workspace = { readonly id: string; readonly path: string; readonly access: WorkspaceAccess };

/**
 * An MCP server without its credentials: those stay names of variables of the worker's environment, `env` for a process,
 * `${NAME}` inside the values of HTTP headers.
 */
export type McpServer =
  | {
      readonly id: string;
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly string[];
    }
  | {
      readonly id: string;
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** What references stand for: the operator's texts and places. It lives in memory, in one encrypted row, and nowhere else (L-49). */
export type ContextContent = {
  readonly knowledge: readonly KnowledgeText[];
  readonly skills: readonly SkillText[];
  readonly workspace: Workspace | null;
  readonly mcp: readonly McpServer[];
};

export type ResolvedContext =
  | { readonly ok: true; readonly content: ContextContent }
  /** A sentence for the author or operator: ids the catalogue lacks, an access it does not grant, a file it cannot read. */
  | { readonly ok: false; readonly message: string };

/** What entries of the catalogue are, in the order they were asked for. */
export type CatalogueKinds =
  | { readonly ok: true; readonly kinds: readonly ("skills" | "knowledge" | "mcp" | "workspace")[] }
  | { readonly ok: false; readonly message: string };

/** The operator's catalogue. Asked once per start or resume of a run. */
export interface ContextSource {
  resolve(references: ContextReferences): Promise<ResolvedContext>;
  /** Tells entries by their ids alone, as a `subAgent` names them (OP-2); an id of two kinds counts as the first of them here. */
  kindsOf(ids: readonly string[]): Promise<CatalogueKinds>;
}
