import type { FlowVersionView, Reads } from "./ports/reads.ts";
import type { RequestDeps } from "./request-deps.ts";

export type SaveLayoutRequest = {
  readonly flow: string;
  /** Exact JSON text of a layout (F-1). */
  readonly layoutText: string;
  /** Tags of layouts that may be replaced; `any` replaces whatever there is. */
  readonly match: readonly string[] | "any";
};

export type SaveLayoutResult =
  | { readonly kind: "saved"; readonly flow: string; readonly version: number; readonly layoutTag: string }
  /** There is a newer version or another layout than the caller knows: nothing was stored. */
  | { readonly kind: "changed"; readonly newest: number; readonly layoutTag: string }
  | { readonly kind: "not_found" };

/** Names one layout of one version: another layout or version has another tag. */
export function layoutTag(
  { sha256 }: Pick<RequestDeps, "sha256">,
  { version, layout }: Pick<FlowVersionView, "version" | "layout">,
): string {
  return `${version}.${sha256(layout ?? "").slice(0, 32)}`;
}

/** Replaces the layout of a flow's newest version if it still is the one the caller knows (P-72); versions stay as they are. */
export async function saveLayout(
  deps: Pick<RequestDeps, "sha256" | "store"> & { readonly reads: Pick<Reads, "flowVersionView"> },
  { flow, layoutText, match }: SaveLayoutRequest,
): Promise<SaveLayoutResult> {
  const seen = await deps.reads.flowVersionView(flow, null);
  if (seen === null) return { kind: "not_found" };
  const { version } = seen;
  const fits = match === "any" || match.includes(layoutTag(deps, seen));
  const before = match === "any" ? null : { layout: seen.layout };
  if (fits && (await deps.store.saveLayout({ flow, version, layout: layoutText, before })))
    return { kind: "saved", flow, version, layoutTag: layoutTag(deps, { version, layout: layoutText }) };
  const now = (await deps.reads.flowVersionView(flow, null)) ?? seen;
  return { kind: "changed", newest: now.version, layoutTag: layoutTag(deps, now) };
}
