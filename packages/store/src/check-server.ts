import { withClient } from "./migrate.ts";

const OLDEST = 150_000;

/**
 * What is wrong with the Postgres server for keeping promises on it, one sentence each; empty when nothing is (S-29).
 * Throws StoreUnavailable.
 */
export async function checkServer(url: string): Promise<readonly string[]> {
  const settings = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings
       where name in ('server_version_num', 'server_version', 'fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding')`,
    );
    return new Map(rows.map(({ name, setting }) => [name, setting]));
  });
  const problems: string[] = [];
  if (Number(settings.get("server_version_num")) < OLDEST) {
    problems.push(`PostgreSQL is ${settings.get("server_version")}; 15 or later is needed.`);
  }
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    if (settings.get(name) === "off")
      problems.push(`${name} is off: a crash of the server can lose committed iterations.`);
  }
  if (settings.get("server_encoding") !== "UTF8") {
    problems.push(`The database's encoding is ${settings.get("server_encoding")}; create it with UTF8.`);
  }
  return problems;
}
