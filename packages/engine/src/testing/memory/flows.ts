import type { Ir } from "@agentflow/core";
import type { FlowVersionView } from "../../ports/reads.ts";
import type { FlowVersion, NewFlowVersion, NewLayout, RegisterOutcome } from "../../ports/requests.ts";
import type { Tables, VersionRow } from "./tables.ts";

/** `RequestStore.registerFlow`: equal to the newest version is no new version, whatever base the caller names. */
export function registerFlow(tables: Tables, given: NewFlowVersion): RegisterOutcome {
  const versions = tables.flows.get(given.flow) ?? [];
  const newest = versions.at(-1);
  if (newest !== undefined && newest.digest === given.digest)
    return { kind: "unchanged", version: newest.version };
  const newestVersion = newest?.version ?? 0;
  if (given.baseVersion !== null && given.baseVersion !== newestVersion)
    return { kind: "base_outdated", newest: newestVersion };
  const { id, flow, source, irText, layout, digest, warnings, bundle } = given;
  const version = newestVersion + 1;
  versions.push({
    id,
    flow,
    source,
    irText,
    layout,
    digest,
    warnings,
    version,
    bundleDigest: bundle.digest,
    createdMs: tables.nowMs(),
  });
  tables.flows.set(flow, versions);
  if (!tables.bundles.has(bundle.digest)) tables.bundles.set(bundle.digest, bundle.archive.slice());
  return { kind: "created", version };
}

/** `RequestStore.saveLayout`. */
export function saveLayout(tables: Tables, { flow, version, layout, before }: NewLayout): boolean {
  const versions = tables.flows.get(flow) ?? [];
  const newest = versions.at(-1);
  if (newest?.version !== version || (before !== null && before.layout !== newest.layout)) return false;
  versions[versions.length - 1] = { ...newest, layout };
  return true;
}

function versionRow(tables: Tables, flow: string, version: number | null): VersionRow | undefined {
  const versions = tables.flows.get(flow) ?? [];
  return version === null ? versions.at(-1) : versions.find((row) => row.version === version);
}

function parsed({ id, flow, version, irText, bundleDigest }: VersionRow): FlowVersion {
  return { id, flow, version, ir: JSON.parse(irText) as Ir, bundleDigest };
}

/** `RequestStore.flowVersion`. */
export function flowVersion(tables: Tables, flow: string, version: number | null): FlowVersion | null {
  const row = versionRow(tables, flow, version);
  return row === undefined ? null : parsed(row);
}

/** `RequestStore.flowVersionById`. */
export function flowVersionById(tables: Tables, id: string): FlowVersion | null {
  const row = [...tables.flows.values()].flat().find((candidate) => candidate.id === id);
  return row === undefined ? null : parsed(row);
}

/** `Reads.flowVersionView`. */
export function flowVersionView(
  tables: Tables,
  flow: string,
  version: number | null,
): FlowVersionView | null {
  const row = versionRow(tables, flow, version);
  if (row === undefined) return null;
  const { digest, source, irText, layout, warnings, createdMs } = row;
  return {
    flow,
    version: row.version,
    digest,
    source,
    irText,
    layout,
    warnings,
    createdAt: new Date(createdMs).toISOString(),
  };
}

/** `RequestStore.bundle`. */
export function bundle(tables: Tables, digest: string): Uint8Array | null {
  return tables.bundles.get(digest)?.slice() ?? null;
}
