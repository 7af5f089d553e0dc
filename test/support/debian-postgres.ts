import { execFile, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const PROGRAMS = "/usr/lib/postgresql/15/bin";
const run = promisify(execFile);

/** Whether Debian's package postgresql-15 is installed. */
export const hasDebianPostgres = existsSync(join(PROGRAMS, "pg_dump"));

export type DebianPostgres = {
  readonly url: string;
  readonly folder: string;
  /** Runs a program of the package to its end; throws with what it said when it fails. */
  program(name: "pg_dump" | "pg_restore", args: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** A throw-away PostgreSQL 15 as Debian ships it. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "agentflow-debian-"));
  chmodSync(folder, 0o755);
  const user = serverUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" }, cwd: folder };
  const initdb = ["-D", data, "-U", "agentflow", "--auth=trust", "--encoding=UTF8", "--no-sync"];
  await run(join(PROGRAMS, "initdb"), initdb, options);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const server = spawn(
    join(PROGRAMS, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...options, stdio: "ignore" },
  );
  const ended = new Promise((resolve) => server.once("close", resolve));
  const ready = ["-h", "127.0.0.1", "-p", String(port), "-U", "agentflow"];
  await until("PostgreSQL 15 takes connections", () =>
    run(join(PROGRAMS, "pg_isready"), ready).then(
      () => true,
      () => false,
    ),
  );
  return {
    url: `postgres://agentflow@127.0.0.1:${port}/postgres`,
    folder,
    program: async (name, args) => void (await run(join(PROGRAMS, name), [...args], options)),
    async close() {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; the package comes with a user for it. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
