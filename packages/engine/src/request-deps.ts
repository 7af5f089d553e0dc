import type { FieldPlaces, Finding, Ir, LimitCaps, NodeRegistry } from "@agentflow/core";
import type { BundleLimits } from "./bundle/index.ts";
import type { RequestStore } from "./ports/requests.ts";
import type { Wake } from "./ports/work.ts";

/** Reads a flow's source text; `files` are the other files of its folder. Given by the DSL: the engine knows no grammar. */
export type ParseSource = (
  text: string,
  files: { has(path: string): boolean; read(path: string): string | null },
) => {
  readonly ir: Ir | null;
  readonly findings: readonly Finding[];
  readonly positions: ReadonlyMap<string, { readonly line: number; readonly column: number }>;
  /** Where the fields of each node or subflow are written. */
  readonly fields: FieldPlaces;
};

/** What the use cases behind requests work with; composed by the API, or by a test. */
export type RequestDeps = {
  readonly store: RequestStore;
  /** Puts a wake on the queue after a commit; never awaited, never trusted (S-10, S-17). */
  readonly relay: { wake(wake: Wake): void };
  readonly registry: NodeRegistry;
  readonly caps: LimitCaps;
  /** What a flow folder may hold; `bundleLimits` when left out. */
  readonly bundleLimits?: BundleLimits;
  readonly sha256: (text: string) => string;
  /** UUIDv7 (S-16). */
  readonly newId: () => string;
  readonly parseSource: ParseSource;
  /** Why an IR cannot be written as a flow file, or null when it can; left out, that is not asked (F-18). */
  readonly unwritable?: (ir: Ir) => { readonly node: string | null; readonly message: string } | null;
};
