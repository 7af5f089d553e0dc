import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Command, processesBelow, processOf } from "../support/cli.ts";
import { until } from "../support/until.ts";

let base: string;
let npm: Command | null;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "agentflow start "));
  chmodSync(base, 0o755);
  npm = null;
});
afterEach(async () => {
  await npm?.stop();
  rmSync(base, { recursive: true, force: true, maxRetries: 10 });
});

/** `npm start` as a newcomer types it, with data and port that are ours alone. */
function npmStart(...args: string[]): Command {
  npm = new Command("npm", ["start", "--", "--data", join(base, "data"), "--port", "0", ...args]);
  return npm;
}

/** All processes below one, however deep. */
function treeOf(pid: number): number[] {
  return processesBelow(pid).flatMap((child) => [child, ...treeOf(child)]);
}

test("S-2: `npm start -- --exit` registers the examples, runs the main one to its end and exits 0", async () => {
  const { code, stdout, stderr } = await npmStart("--exit").ended;
  expect(code, stderr).toBe(0);
  for (const name of ["import-contacts", "record-by-record", "ticket-summary"])
    expect(stderr).toContain(`${name}: version 1 registered`);
  expect(stderr).toMatch(/import-contacts: running, iteration \d+ of at most \d+/);
  expect(stderr).toContain("resuming it with");
  expect(stdout).toMatch(/status +succeeded/);
}, 240_000);

test("S-2: `npm start` shows progress until the run is parked, and the command it prints resumes it; SIGTERM stops all", async () => {
  const started = npmStart();
  const [, command = ""] = await started.says(/^ {2}(.*npx agentflow run resume .*)$/m);
  const [, url = ""] = await started.says(/^ {2}the reference +(\S+)$/m);
  expect(started.stdout).toContain("records need a decision");
  expect(started.stdout).toMatch(/^ {2}curl -X POST http:\/\/127\.0\.0\.1:\d+\/v1\/runs\/\S+\/resume .*$/m);
  expect(started.stderr).toMatch(/import-contacts: running, iteration \d+ of at most \d+/);
  const reference = await fetch(url);
  expect(reference.status).toBe(200);
  expect(reference.headers.get("content-type")).toContain("text/html");

  // As printed, but for waiting: it asks again further down in the file.
  const resumed = await new Command("sh", ["-c", command.replace(/ --wait$/, "")]).ended;
  expect(resumed.stdout, resumed.stderr).toMatch(/ is (queued|running)\n$/);
  expect(resumed.code).toBe(0);

  const tree = treeOf(started.pid);
  expect(tree.length).toBeGreaterThan(3);
  await started.stop();
  await until("all processes are gone", () => tree.every((pid) => processOf(pid) === null));
}, 240_000);
