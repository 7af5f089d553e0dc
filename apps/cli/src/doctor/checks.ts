import { embeddedProblem, findProgram, type Config } from "@agentflow/host";
import { openQueue } from "@agentflow/queue";
import { awaitSchema, checkServer, DatabaseNewer } from "@agentflow/store";
import { reasonOf } from "../exit.ts";

/** One thing looked at. `warn`: something will not work that not everybody needs. */
export type Check = {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** What is so, and what to do where it is wrong. */
  readonly text: string;
};

const SCHEMA_WAIT_MS = 3000;
const MIN_NODE = [20, 19] as const;

const ok = (name: string, text: string): Check => ({ name, status: "ok", text });
const warn = (name: string, text: string): Check => ({ name, status: "warn", text });
const fail = (name: string, text: string): Check => ({ name, status: "fail", text });

/** Node of `version`, written as `20.19.0`. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (fits) return ok("node", `Node ${version}`);
  return fail("node", `Node is ${version}; install ${MIN_NODE.join(".")} or later`);
}

/** The programs that steps need; `find` gives a program's path or null. */
export function checkPrograms(
  platform: NodeJS.Platform,
  find: (name: string) => string | null = findProgram,
): Check[] {
  const needed: [string, string][] = [
    ["bash", "scripts that end in .sh or .bash cannot run; install bash"],
    ["python3", "scripts that end in .py cannot run; install python3"],
  ];
  if (platform === "linux")
    needed.push(["setpriv", "steps can outlive a worker that is killed; install util-linux 2.33 or later"]);
  return needed.map(([name, otherwise]) => {
    const file = find(name);
    return file === null ? warn(name, `there is no ${name} on the PATH: ${otherwise}`) : ok(name, file);
  });
}

/** The database of DATABASE_URL, or what the private one needs. */
export async function checkDatabase({ databaseUrl, dataDir, queue }: Config<"dev">): Promise<Check[]> {
  if (databaseUrl === undefined) return [await checkPrivate(dataDir)];
  try {
    const problems = await checkServer(databaseUrl);
    const server =
      problems.length > 0
        ? problems.map((problem) => fail("database", problem))
        : [ok("database", "PostgreSQL of DATABASE_URL answers")];
    return [...server, await checkSchema(databaseUrl, queue)];
  } catch (error) {
    return [
      fail("database", `DATABASE_URL: ${reasonOf(error)}; is the server running, and is the URL right?`),
    ];
  }
}

async function checkPrivate(dataDir: string): Promise<Check> {
  const problem = await embeddedProblem(dataDir);
  if (problem !== null) return fail("database", problem);
  return ok("database", `no DATABASE_URL: a private PostgreSQL can run in ${dataDir}`);
}

async function checkSchema(url: string, queue: string): Promise<Check> {
  try {
    await awaitSchema(url, AbortSignal.timeout(SCHEMA_WAIT_MS));
    return ok("schema", "the tables are those of this release");
  } catch (error) {
    if (error instanceof DatabaseNewer) return fail("schema", error.message);
    const also = queue === "postgres" ? " (with AGENTFLOW_QUEUE as the workers have it)" : "";
    return fail("schema", `the tables of this release are missing; run \`agentflow migrate\`${also}`);
  }
}

/** The queue's server: reachable, new enough, and not one that throws jobs away. */
export async function checkQueue(config: Config<"dev">): Promise<Check> {
  const { queue, redisUrl, databaseUrl } = config;
  if (queue === "redis" && redisUrl === undefined) return checkRedisProgram();
  const url = queue === "redis" ? redisUrl : databaseUrl;
  if (url === undefined) return ok("queue", "in the private PostgreSQL");
  try {
    const opened = await openQueue({ kind: queue, url }, { onProblem: () => {} });
    try {
      const check = await opened.checkServer({ allowEviction: config.redisAllowEviction });
      if (check.kind === "refused") return fail("queue", check.problem);
      return ok("queue", `${queue === "redis" ? "Redis" : "PostgreSQL"} ${check.version}`);
    } finally {
      await opened.close(500);
    }
  } catch (error) {
    return fail("queue", `the queue (${queue}) does not answer: ${reasonOf(error)}`);
  }
}

function checkRedisProgram(): Check {
  const file = findProgram("redis-server") ?? findProgram("valkey-server");
  if (file !== null) return ok("queue", `no REDIS_URL: a private ${file} can run`);
  return fail(
    "queue",
    "neither REDIS_URL nor a redis-server on the PATH; set one, or AGENTFLOW_QUEUE=postgres",
  );
}
