import type { ApiKey, Scope } from "@agentflow/engine";
import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { apiKey, session } from "../schema/index.ts";
import { isoTime, isoTimeOrNull } from "./given.ts";

const KEY = {
  id: apiKey.id,
  name: apiKey.name,
  scope: apiKey.scope,
  hint: apiKey.hint,
  createdAt: isoTime(apiKey.createdAt),
  revokedAt: isoTimeOrNull(apiKey.revokedAt),
};

/** All keys, newest first. */
export async function readKeys(db: Database): Promise<ApiKey[]> {
  const rows = await db.select(KEY).from(apiKey).orderBy(desc(apiKey.createdAt), desc(apiKey.id));
  return rows.map((row) => ({ ...row, scope: row.scope as Scope }));
}

/** The living key with that hash. */
export async function findKeyByHash(
  db: Database,
  hash: string,
): Promise<(ApiKey & { readonly hash: string }) | null> {
  const [row] = await db
    .select({ ...KEY, hash: apiKey.hash })
    .from(apiKey)
    .where(and(eq(apiKey.hash, hash), isNull(apiKey.revokedAt)));
  return row === undefined ? null : { ...row, scope: row.scope as Scope };
}

/** The living key with a session of that hash which is not over, by the database's clock. */
export async function findKeyBySession(db: Database, hash: string): Promise<ApiKey | null> {
  const [row] = await db
    .select(KEY)
    .from(session)
    .innerJoin(apiKey, eq(apiKey.id, session.keyId))
    .where(and(eq(session.hash, hash), gt(session.expiresAt, sql`now()`), isNull(apiKey.revokedAt)));
  return row === undefined ? null : { ...row, scope: row.scope as Scope };
}

/** Whether there is a living key. */
export async function hasKeys(db: Database): Promise<boolean> {
  const rows = await db.select({ id: apiKey.id }).from(apiKey).where(isNull(apiKey.revokedAt)).limit(1);
  return rows.length > 0;
}
