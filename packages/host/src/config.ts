import { homedir } from "node:os";
import { resolve } from "node:path";
import type { z } from "zod";
import { describeProblems, problem, type ConfigProblem } from "./config/problems.ts";
import { PROCESSES, VARIABLE, type Field, type ProcessKind } from "./config/processes.ts";

export { describeProblems, type ConfigProblem, type ProcessKind };

type Environment = Readonly<Record<string, string | undefined>>;
type Parsed<K extends ProcessKind> = z.output<(typeof PROCESSES)[K]>;
type Queue = "postgres" | "redis";

/** What a process of the kind runs with: sizes in bytes, durations in ms; `dataDir` is absolute. */
export type Config<K extends ProcessKind> = Parsed<K> &
  (K extends "client" | "lint" ? object : { queue: Queue }) &
  (K extends "dev" | "worker" ? { dataDir: string } : object) &
  (K extends "dev" ? { embedded: boolean } : object);

export type ConfigResult<K extends ProcessKind> =
  | { ok: true; config: Config<K> }
  | { ok: false; problems: ConfigProblem[] };

/**
 * Reads and checks the whole environment of one kind of process (S-28). `overrides` are variables given in another
 * way, such as options of the command. Blank counts as not set. Every problem is reported, none is papered over.
 */
export function readConfig<K extends ProcessKind>(
  kind: K,
  overrides: Environment = {},
  env: Environment = process.env,
): ConfigResult<K> {
  const given = fields({ ...env, ...overrides });
  const parsed = PROCESSES[kind].safeParse(given);
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const field = path[0] as Field;
    return problem(field, given[field], message);
  });
  problems.push(...missingServices(kind, given, env), ...missingResources(kind, given));
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  return { ok: true, config: { ...parsed.data, ...derived(kind, given, env) } as Config<K> };
}

function fields(env: Environment): Partial<Record<Field, string>> {
  const entries = Object.entries(VARIABLE).map(([field, name]) => [field, env[name]?.trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ""));
}

function queueOf(given: Partial<Record<Field, string>>): string {
  return given.queue ?? (given.redisUrl === undefined ? "postgres" : "redis");
}

/** The embedded services are allowed by default, but not in production, where a forgotten URL would go unnoticed. */
function mayEmbed(given: Partial<Record<Field, string>>, env: Environment): boolean {
  if (given.embedded !== undefined) return /^(1|true|on)$/i.test(given.embedded);
  return env["NODE_ENV"] !== "production";
}

function missingServices(
  kind: ProcessKind,
  given: Partial<Record<Field, string>>,
  env: Environment,
): ConfigProblem[] {
  if (kind === "client" || kind === "lint") return [];
  const way =
    kind === "dev"
      ? "or AGENTFLOW_EMBEDDED=1 to start a private one"
      : "or run `agentflow dev`, which brings its own";
  if (kind === "dev" && mayEmbed(given, env)) return [];
  const problems: ConfigProblem[] = [];
  // For api and worker the schema itself requires the database.
  if (kind === "dev" && given.databaseUrl === undefined)
    problems.push(problem("databaseUrl", undefined, `the URL of a PostgreSQL database, ${way}`));
  if (queueOf(given) === "redis" && given.redisUrl === undefined)
    problems.push(
      problem("redisUrl", undefined, `the URL of a Redis server because AGENTFLOW_QUEUE is redis, ${way}`),
    );
  return problems;
}

/** What a setting of agents and contexts needs beside it. */
function missingResources(kind: ProcessKind, given: Partial<Record<Field, string>>): ConfigProblem[] {
  if (kind !== "worker" && kind !== "dev") return [];
  const needed: [Field, string, boolean][] = [
    ["agentBaseUrl", "the address of an OpenAI-compatible API", given.agentRunner === "openai"],
    ["agentModel", "the name of a model", given.agentRunner === "openai"],
    ["agentCommand", "the command of a coding agent", given.agentRunner === "command"],
  ];
  const problems = needed
    .filter(([field, , wanted]) => wanted && given[field] === undefined)
    .map(([field, what]) =>
      problem(field, undefined, `${what}, because AGENTFLOW_AGENT_RUNNER is ${given.agentRunner}`),
    );
  // `agentflow dev` makes a key of its own and gives it to its workers.
  if (kind === "worker" && given.catalogue !== undefined && given.secretKey === undefined)
    problems.push(
      problem("secretKey", undefined, "32 random bytes as base64 or hex, because AGENTFLOW_CATALOGUE is set"),
    );
  return problems;
}

function derived(kind: ProcessKind, given: Partial<Record<Field, string>>, env: Environment): object {
  if (kind === "client" || kind === "lint") return {};
  const queue = queueOf(given);
  if (kind === "api") return { queue };
  const dataDir = resolve(given.dataDir ?? defaultDataDir(env));
  return kind === "worker" ? { queue, dataDir } : { queue, dataDir, embedded: mayEmbed(given, env) };
}

/** Root's own folder is closed to the database's user, so root's default is one that is open (S-3). */
function defaultDataDir(env: Environment): string {
  if (process.getuid?.() === 0) return "/var/lib/agentflow";
  return resolve(env["HOME"] ?? homedir(), ".local/share/agentflow");
}

/** The search path of commands, never empty. */
export function commandPath(env: Environment = process.env): string {
  return env["PATH"] || "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

/** The environment that every step starts with (F-24): PATH, HOME, LANG, TZ and the variables the operator lists. */
export function scriptEnvironment(
  names: readonly string[],
  env: Environment = process.env,
): Record<string, string> {
  const out: Record<string, string> = { PATH: commandPath(env) };
  for (const name of ["HOME", "LANG", "TZ", ...names]) {
    const value = env[name];
    if (value !== undefined) out[name] = value;
  }
  return out;
}

/** The environment for a process of our own (api, worker): this one's, with `changes`; null removes a variable. */
export function serviceEnvironment(
  changes: Readonly<Record<string, string | null>>,
  env: Environment = process.env,
): Record<string, string> {
  const merged = Object.entries({ ...env, ...changes });
  return Object.fromEntries(
    merged.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
