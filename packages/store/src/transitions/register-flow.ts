import type pg from "pg";
import type { NewFlowVersion, RegisterOutcome } from "@agentflow/engine";
import { run, withTransaction, type Queryable } from "../connection/transaction.ts";

/** The flow's row is the lock under which its versions are numbered. Registering brings an archived flow back. */
const LOCK_FLOW = {
  name: "lock_flow",
  text: `
    insert into flow (name) values ($1)
    on conflict (name) do update set archived_at = null`,
};

const NEWEST_VERSION = {
  name: "newest_version",
  text: "select version, digest from flow_version where flow = $1 order by version desc limit 1",
};

const INSERT_BUNDLE = {
  name: "insert_bundle",
  text: "insert into bundle (digest, archive, bytes, files) values ($1, $2, $3, $4) on conflict (digest) do nothing",
};

const INSERT_VERSION = {
  name: "insert_version",
  text: `
    insert into flow_version (id, flow, version, digest, source, ir, layout, bundle_digest, warnings)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

class BaseOutdated extends Error {
  readonly newest: number;
  constructor(newest: number) {
    super("the base is not the newest version");
    this.newest = newest;
  }
}

/**
 * Numbers and stores a version in one transaction. Equal to the newest is no new version, whatever base is named; a base
 * that is not the newest stores nothing, not even the flow (S-14). Locks the flow row first.
 */
export async function registerFlow(pool: pg.Pool, given: NewFlowVersion): Promise<RegisterOutcome> {
  try {
    return await withTransaction(pool, (client) => register(client, given));
  } catch (error) {
    if (error instanceof BaseOutdated) return { kind: "base_outdated", newest: error.newest };
    throw error;
  }
}

async function register(client: Queryable, given: NewFlowVersion): Promise<RegisterOutcome> {
  await run(client, LOCK_FLOW, [given.flow]);
  const [newest] = await run<{ version: number; digest: string }>(client, NEWEST_VERSION, [given.flow]);
  if (newest?.digest === given.digest) return { kind: "unchanged", version: newest.version };
  const newestVersion = newest?.version ?? 0;
  if (given.baseVersion !== null && given.baseVersion !== newestVersion)
    throw new BaseOutdated(newestVersion);
  const { id, flow, digest, source, irText, layout, warnings, bundle } = given;
  const { archive, files } = bundle;
  await run(client, INSERT_BUNDLE, [bundle.digest, Buffer.from(archive), archive.byteLength, files]);
  const version = newestVersion + 1;
  await run(client, INSERT_VERSION, [
    id,
    flow,
    version,
    digest,
    source,
    irText,
    layout,
    bundle.digest,
    warnings,
  ]);
  return { kind: "created", version };
}
