import { withClient } from "./migrate.ts";

const OLDEST = 150_000;
/** Times in logs and of the queue's delays go by this machine's clock; a difference beyond this misleads (C20). */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * What is wrong with the Postgres server for keeping promises on it, one sentence each; empty when nothing is (S-29).
 * Throws StoreUnavailable.
 */
export async function checkServer(url: string, nowMs: () => number = Date.now): Promise<readonly string[]> {
  const problems: string[] = [];
  const settings = await withClient(url, async (client) => {
    const askedMs = nowMs();
    const clock = await client.query<{ ms: number }>(
      "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
    );
    problems.push(...clockProblems(clock.rows[0]?.ms ?? askedMs, askedMs, nowMs()));
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings
       where name in ('server_version_num', 'server_version', 'fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding')`,
    );
    return new Map(rows.map(({ name, setting }) => [name, setting]));
  });
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

/** The server read its clock between two readings of ours. */
function clockProblems(serverMs: number, earliestMs: number, latestMs: number): readonly string[] {
  const aheadMs = Math.max(earliestMs - serverMs, serverMs - latestMs, 0);
  if (aheadMs <= CLOCK_TOLERANCE_MS) return [];
  const seconds = Math.round(aheadMs / 1000);
  const side = serverMs > latestMs ? "behind" : "ahead of";
  return [
    `The clock of this machine is ${seconds} s ${side} the database's; no run is harmed, but delays come late and times of logs mislead. Synchronise the clocks.`,
  ];
}
