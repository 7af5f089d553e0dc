import { hostname, userInfo } from "node:os";
import { createKey, type ApiKey, type Caller, type KeyStore, type Scope } from "@agentflow/engine";
import { startPostgres } from "@agentflow/host";
import { awaitSchema, createStore, migrate } from "@agentflow/store";
import { uuidv7 } from "uuidv7";
import { readConfigOrFail } from "../configuration.ts";
import { say, sayJson, tell } from "../console/out.ts";
import { table } from "../console/text.ts";
import { CommandError } from "../exit.ts";

type Options = { readonly json?: true; readonly data?: string };

/** How long a database may take to be migrated by somebody else. */
const SCHEMA_LIMIT_MS = 10_000;

/** Makes an API key and shows it, this once (S-19). */
export async function createKeyCommand({
  json,
  name,
  scope,
  data,
}: Options & { readonly name?: string; readonly scope: Scope }): Promise<void> {
  const made = await withKeys(data, async (keys) => {
    const id = uuidv7();
    return createKey({ keys, newId: () => id }, { name: name ?? `${scope}-${id}`, scope, caller: caller() });
  });
  if (made === null) throw new CommandError(`there is a key named ${JSON.stringify(name)} already`);
  if (json) return sayJson(made);
  say(made.key);
  tell(`key ${made.name} of scope ${made.scope}; keep it now, it is shown only this once`);
}

/** Shows the keys there are, revoked ones too; never their text. */
export async function listKeysCommand({ json, data }: Options): Promise<void> {
  const keys = await withKeys(data, (store) => store.list());
  if (json) sayJson({ items: keys, nextCursor: null });
  else say(keysText(keys));
}

function keysText(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return "no keys: the API serves this machine only";
  const rows = keys.map(({ id, name, scope, hint, createdAt, revokedAt }) => [
    ...[id, name, scope, `${hint}…`, createdAt],
    revokedAt === null ? "" : `revoked ${revokedAt}`,
  ]);
  return table([["ID", "NAME", "SCOPE", "KEY", "CREATED", ""], ...rows]);
}

/** Revokes a key at once: the next call with it is refused. */
export async function revokeKeyCommand(idOrName: string, { json, data }: Options): Promise<void> {
  const key = await withKeys(data, (store) => store.revoke(idOrName, caller()));
  if (key === null) throw new CommandError(`there is no living key ${JSON.stringify(idOrName)}`);
  if (json) sayJson(key);
  else say(`${key.name} is revoked`);
}

/** Who changes keys, for the audit row (S-22). */
function caller(): Caller {
  return { actor: `cli:${userInfo().username}`, remote: hostname() };
}

/** Works on the database itself, as whoever runs the service may: DATABASE_URL, or the private one of the data folder. */
async function withKeys<T>(data: string | undefined, work: (keys: KeyStore) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfigOrFail("dev", { AGENTFLOW_DATA_DIR: data });
  const server = databaseUrl === undefined ? await startPostgres(dataDir) : null;
  const url = server?.url ?? databaseUrl ?? "";
  try {
    if (server === null) await schemaOf(url);
    else await migrate(url);
    const store = createStore({ url, applicationName: "agentflow-keys", maxConnections: 1 });
    try {
      return await work(store.keys);
    } finally {
      await store.close();
    }
  } finally {
    await server?.stop();
  }
}

async function schemaOf(url: string): Promise<void> {
  const limit = AbortSignal.timeout(SCHEMA_LIMIT_MS);
  await awaitSchema(url, limit).catch((error: unknown) => {
    if (limit.aborted)
      throw new CommandError("the database has no schema yet; run `agentflow migrate` first");
    throw error;
  });
}
