// Measures AgentFlow beside its peers on this machine: `pnpm bench`, `pnpm bench --quick`, `pnpm bench --json FILE`.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { startContender } from "./contender.mjs";
import { openPlace } from "./place.mjs";
import { measureRounds, QUICK as QUICK_SIZE, ratios, summary, WHOLE } from "./rounds.mjs";
import { measureAlone } from "./alone.mjs";
import { printReport } from "./report.mjs";

const CONCURRENCY = 50;
const QUICK = ["redis", "dbos", "openworkflow", "restate", "bullmq"];
const ALL = ["redis", "bursts", "postgres", "dbos", "openworkflow", "restate", "restate-calls", "bullmq"];
const OURS = new Set(["redis", "bursts", "postgres"]);
/** OpenWorkflow's client looks for a result once a second. */
const QUICK_SAMPLES = { default: 20, openworkflow: 1 };
const SAMPLES = { default: 60, openworkflow: 2, absurd: 5 };

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    rounds: { type: "string", default: "5" },
    /** Names of contenders, with commas; all of the mode when left out. */
    only: { type: "string" },
    /** The schema of Absurd, which is not on npm; with it Absurd is measured too. */
    "absurd-sql": { type: "string" },
    /** Writes a CPU profile of each contender into this folder. */
    profile: { type: "string" },
    "no-alone": { type: "boolean", default: false },
  },
});

// Leaving by `exit` stops the contenders and takes the folder away.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const startedMs = performance.now();
const report = await main();
printReport(report);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
process.exit(0);

async function main() {
  const place = await openPlace();
  const names = chosen();
  const contenders = [];
  const skipped = {};
  try {
    for (const name of names) {
      say(`starting ${name}`);
      await open(name, place).then(
        (contender) => contenders.push(contender),
        (error) => {
          // A peer that is not installed is left out and named; what is ours must work.
          if (OURS.has(name)) throw error;
          skipped[name] = error.message;
        },
      );
    }
    const samples = options.quick ? QUICK_SAMPLES : SAMPLES;
    const measured = await measureRounds(contenders, {
      rounds: Number(options.rounds),
      samples,
      size: options.quick ? QUICK_SIZE : WHOLE,
      pids: place.pids,
      say,
    });
    const settings = Object.fromEntries(contenders.map(({ name, settings }) => [name, settings]));
    await Promise.all(contenders.splice(0).map((contender) => contender.close()));
    const alone =
      options.quick || options["no-alone"]
        ? {}
        : await measureAlone((name, key) => open(name, place, key), { place, say });
    return {
      machine: machine(),
      commit: commit(),
      seconds: Math.round((performance.now() - startedMs) / 1000),
      rounds: Number(options.rounds),
      postgres: place.settings,
      settings,
      skipped,
      results: summary(measured),
      ratios: ratios(measured),
      alone,
    };
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
    await place.close();
  }
}

function chosen() {
  if (options.only !== undefined) return options.only.split(",");
  const names = options.quick ? QUICK : ALL;
  return options["absurd-sql"] === undefined ? names : [...names, "absurd"];
}

async function open(name, place, key = name) {
  const needsDatabase = name !== "bullmq" && !name.startsWith("restate");
  const databaseUrl = needsDatabase ? await place.database(key) : null;
  const absurdSql = options["absurd-sql"] ?? null;
  const execArgv = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`];
  // A burst ends when all slots are taken, so B needs one for each of its loops.
  const concurrency = name === "bursts" ? 256 : CONCURRENCY;
  const where = { databaseUrl, redisUrl: place.redisUrl, concurrency, absurdSql, key };
  const contender = await startContender(name, where, { execArgv });
  return { ...contender, prepares: OURS.has(name) };
}

function machine() {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
}

function commit() {
  try {
    const git = (...args) =>
      execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}

function say(text) {
  process.stderr.write(`[bench ${Math.round((performance.now() - startedMs) / 1000)} s] ${text}\n`);
}
