import { z } from "zod";
import {
  choice,
  duration,
  durationOrOff,
  flag,
  integer,
  integerOrOff,
  ports,
  secretKey,
  text,
  url,
  variableNames,
} from "./fields.ts";

/** The environment variable behind each field of a configuration. */
export const VARIABLE = {
  databaseUrl: "DATABASE_URL",
  redisUrl: "REDIS_URL",
  queue: "AGENTFLOW_QUEUE",
  redisAllowEviction: "AGENTFLOW_REDIS_ALLOW_EVICTION",
  embedded: "AGENTFLOW_EMBEDDED",
  dataDir: "AGENTFLOW_DATA_DIR",
  host: "AGENTFLOW_HOST",
  port: "AGENTFLOW_PORT",
  adminKeyFile: "AGENTFLOW_ADMIN_KEY_FILE",
  workerPort: "AGENTFLOW_WORKER_PORT",
  concurrency: "AGENTFLOW_CONCURRENCY",
  burstIterations: "AGENTFLOW_BURST_ITERATIONS",
  burstMs: "AGENTFLOW_BURST_TIME",
  claimLeaseMs: "AGENTFLOW_CLAIM_LEASE",
  sweepIntervalMs: "AGENTFLOW_SWEEP_INTERVAL",
  shutdownGraceMs: "AGENTFLOW_SHUTDOWN_GRACE",
  maxIterations: "AGENTFLOW_MAX_ITERATIONS",
  maxRepeatIterations: "AGENTFLOW_MAX_REPEAT_ITERATIONS",
  maxTimeoutMs: "AGENTFLOW_MAX_TIMEOUT",
  maxAttempts: "AGENTFLOW_MAX_ATTEMPTS",
  retentionMs: "AGENTFLOW_RETENTION",
  timelineBytes: "AGENTFLOW_TIMELINE_BUDGET",
  webhookPrivate: "AGENTFLOW_WEBHOOK_PRIVATE",
  maxBundleBytes: "AGENTFLOW_MAX_BUNDLE_BYTES",
  scriptEnv: "AGENTFLOW_SCRIPT_ENV",
  scriptWrapper: "AGENTFLOW_SCRIPT_WRAPPER",
  stepUser: "AGENTFLOW_STEP_USER",
  warmCalls: "AGENTFLOW_WARM_CALLS",
  warmMemoryBytes: "AGENTFLOW_WARM_MEMORY_BYTES",
  warmIdleMs: "AGENTFLOW_WARM_IDLE",
  workspaceRoot: "AGENTFLOW_WORKSPACE_ROOT",
  catalogue: "AGENTFLOW_CATALOGUE",
  secretKey: "AGENTFLOW_SECRET_KEY",
  secrets: "AGENTFLOW_SECRETS",
  agentRunner: "AGENTFLOW_AGENT_RUNNER",
  agentBaseUrl: "AGENTFLOW_AGENT_BASE_URL",
  agentModel: "AGENTFLOW_AGENT_MODEL",
  agentApiKey: "AGENTFLOW_AGENT_API_KEY",
  agentCommand: "AGENTFLOW_AGENT_COMMAND",
  logLevel: "AGENTFLOW_LOG_LEVEL",
  url: "AGENTFLOW_URL",
  apiKey: "AGENTFLOW_API_KEY",
} as const;

export type Field = keyof typeof VARIABLE;

/** Fields whose value is masked wherever it is shown (S-28). */
export const SECRET: ReadonlySet<Field> = new Set([
  "databaseUrl",
  "redisUrl",
  "apiKey",
  "secretKey",
  "agentApiKey",
]);

const databaseUrl = url("postgres", "postgresql");

const logLevel = choice("trace", "debug", "info", "warn", "error", "fatal", "silent");
const logging = { logLevel: logLevel.prefault("info") };

const limits = {
  maxIterations: integer(1, 1_000_000).prefault("1000"),
  maxRepeatIterations: integer(1, 1_000_000).prefault("128"),
  maxTimeoutMs: duration("1ms", "3650d").prefault("7d"),
  maxBundleBytes: integer(1024, 268_435_456).prefault("16777216"),
};

const service = {
  ...logging,
  ...limits,
  redisUrl: url("redis", "rediss").optional(),
  queue: choice("postgres", "redis").optional(),
  redisAllowEviction: flag().prefault("0"),
  shutdownGraceMs: duration("0s", "1h").prefault("30s"),
  maxAttempts: integer(1, 100).prefault("5"),
};

const host = text("a host name or an IP address").prefault("127.0.0.1");
const dataDir = text("the path of a folder").optional();
const workerPort = ports().optional();

const listener = {
  host,
  port: integer(0, 65_535).prefault("4700"),
  adminKeyFile: text("the path of a file").optional(),
};

const execution = {
  concurrency: integer(1, 1000).prefault("10"),
  burstIterations: integer(1, 1_000_000).prefault("1"),
  burstMs: duration("1ms", "1m").prefault("1s"),
  claimLeaseMs: duration("2s", "1h").prefault("15s"),
  sweepIntervalMs: duration("100ms", "1h").prefault("1s"),
  retentionMs: durationOrOff("1m", "3650d").prefault("30d"),
  timelineBytes: integerOrOff(65_536, 1_073_741_824).prefault("8388608"),
  webhookPrivate: flag().prefault("0"),
  scriptEnv: variableNames().prefault(""),
  scriptWrapper: text("a command and its arguments, quoted as in a shell").optional(),
  stepUser: text("the name of a user of this machine").optional(),
  warmCalls: integer(1, 1_000_000_000).prefault("10000"),
  warmMemoryBytes: integer(67_108_864, 68_719_476_736).prefault("268435456"),
  warmIdleMs: duration("1s", "1d").prefault("60s"),
  workspaceRoot: text("the path of a folder").optional(),
};

/** What an operator lends to flows: texts and places, secrets, and who does the prompts. */
const resources = {
  catalogue: text("the path of a JSON file").optional(),
  secretKey: secretKey().optional(),
  secrets: variableNames().prefault(""),
  agentRunner: choice("openai", "command").optional(),
  agentBaseUrl: url("http", "https").optional(),
  agentModel: text("the name of a model").optional(),
  agentApiKey: text("an API key of the model's service").optional(),
  agentCommand: text("a command that reads a prompt on stdin and prints the answer").optional(),
};

const client = {
  url: url("http", "https").prefault("http://127.0.0.1:4700"),
  apiKey: text("an API key").optional(),
};

/**
 * One schema per kind of process. `dev` is every command that may start the embedded services; its logs stand between
 * lines for a person, so they are few.
 */
export const PROCESSES = {
  api: z.object({ ...service, ...listener, databaseUrl }),
  worker: z.object({ ...service, ...execution, ...resources, databaseUrl, dataDir, host, workerPort }),
  dev: z.object({
    ...service,
    ...listener,
    ...execution,
    ...resources,
    ...client,
    logLevel: logLevel.prefault("warn"),
    databaseUrl: databaseUrl.optional(),
    embedded: flag().optional(),
    dataDir,
    workerPort,
  }),
  client: z.object({ ...logging, ...client }),
  lint: z.object({ ...logging, ...limits }),
};

export type ProcessKind = keyof typeof PROCESSES;
