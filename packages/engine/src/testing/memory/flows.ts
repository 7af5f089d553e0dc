import type { Ir } from "@agentflow/core";
import type { FlowVersionView, FlowView } from "../../ports/reads.ts";
import type {
  ArchiveOutcome,
  Caller,
  FlowVersion,
  NewFlowVersion,
  NewLayout,
  RegisterOutcome,
} from "../../ports/requests.ts";
import { isLive } from "./claims.ts";
import { countsOf } from "./reads.ts";
import { audit } from "./tables.ts";
import type { Tables, VersionRow } from "./tables.ts";

/** `RequestStore.registerFlow`: equal to the newest version is no new version, whatever base the caller names. */
export function registerFlow(tables: Tables, given: NewFlowVersion): RegisterOutcome {
  const versions = tables.flows.get(given.flow) ?? [];
  const archivedMs = tables.archived.get(given.flow);
  tables.archived.delete(given.flow);
  const newest = versions.at(-1);
  if (newest !== undefined && newest.digest === given.digest)
    return { kind: "unchanged", version: newest.version };
  const newestVersion = newest?.version ?? 0;
  if (given.baseVersion !== null && given.baseVersion !== newestVersion) {
    if (archivedMs !== undefined) tables.archived.set(given.flow, archivedMs);
    return { kind: "base_outdated", newest: newestVersion };
  }
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
  const row = tables.archived.has(flow) ? undefined : versionRow(tables, flow, version);
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

/** `Reads.flow`. */
export function flowView(tables: Tables, flow: string): FlowView | null {
  const newest = flowVersionView(tables, flow, null);
  if (newest === null) return null;
  const archivedMs = tables.archived.get(flow);
  const versions = (tables.flows.get(flow) ?? []).map(({ version, digest, createdMs }) => ({
    version,
    digest,
    createdAt: new Date(createdMs).toISOString(),
  }));
  return {
    ...newest,
    archivedAt: archivedMs === undefined ? null : new Date(archivedMs).toISOString(),
    limits: tables.limits.get(flow) ?? { maxRunning: null, maxRunningPerKey: null },
    versions: versions.reverse().slice(0, 1000),
    runs: countsOf([...tables.runs.values()].filter((run) => run.flow === flow)),
  };
}

/** `RequestStore.archiveFlow`. */
export function archiveFlow(tables: Tables, flow: string, caller: Caller): ArchiveOutcome {
  if (!tables.flows.has(flow)) return { kind: "not_found" };
  const live = [...tables.runs.values()].filter(
    (run) => run.flow === flow && (run.status === "waiting" || isLive(run)),
  );
  if (live.length > 0) return { kind: "in_use", runs: live.slice(0, 100).map(({ id }) => id) };
  if (!tables.archived.has(flow)) {
    tables.archived.set(flow, tables.nowMs());
    audit(tables, { runId: null, action: "flow_archive", caller });
  }
  return { kind: "archived", archivedAt: new Date(tables.archived.get(flow) ?? 0).toISOString() };
}

/** `RequestStore.bundle`. */
export function bundle(tables: Tables, digest: string): Uint8Array | null {
  return tables.bundles.get(digest)?.slice() ?? null;
}
