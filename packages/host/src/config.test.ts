import { describe, expect, test } from "vitest";
import { describeProblems, readConfig, scriptEnvironment, serviceEnvironment } from "./config.ts";

const DATABASE_URL = "postgres://app:pw@db:5432/agentflow";

function problemsOf(result: { ok: boolean; problems?: { variable: string }[] }): string[] {
  return (result.problems ?? []).map(({ variable }) => variable);
}

describe("reading the configuration", () => {
  test("S-8 L-7 L-8: the defaults are those of the manual, durations in milliseconds", () => {
    expect(readConfig("worker", {}, { DATABASE_URL, AGENTFLOW_DATA_DIR: "/data" })).toEqual({
      ok: true,
      config: {
        databaseUrl: DATABASE_URL,
        queue: "postgres",
        logLevel: "info",
        redisAllowEviction: false,
        retentionMs: 2_592_000_000,
        timelineBytes: 8_388_608,
        webhookPrivate: false,
        shutdownGraceMs: 30_000,
        maxIterations: 1000,
        maxRepeatIterations: 128,
        maxTimeoutMs: 604_800_000,
        maxAttempts: 5,
        maxBundleBytes: 16_777_216,
        concurrency: 10,
        claimLeaseMs: 15_000,
        sweepIntervalMs: 1000,
        scriptEnv: [],
        burstIterations: 1,
        burstMs: 1000,
        warmCalls: 10_000,
        warmMemoryBytes: 268_435_456,
        warmIdleMs: 60_000,
        secrets: [],
        dataDir: "/data",
        host: "127.0.0.1",
      },
    });
  });

  test("S-28: every problem is listed at once, with the variable, its value and what is legal", () => {
    const result = readConfig(
      "worker",
      {},
      {
        AGENTFLOW_CONCURRENCY: "1001",
        AGENTFLOW_CLAIM_LEASE: "1.9s",
        AGENTFLOW_MAX_ITERATIONS: "1e3",
        AGENTFLOW_QUEUE: "redis",
      },
    );
    expect(problemsOf(result).toSorted()).toEqual([
      "AGENTFLOW_CLAIM_LEASE",
      "AGENTFLOW_CONCURRENCY",
      "AGENTFLOW_MAX_ITERATIONS",
      "DATABASE_URL",
      "REDIS_URL",
    ]);
    const text = describeProblems(result.ok ? [] : result.problems);
    expect(text).toContain("5 problems");
    expect(text).toContain('AGENTFLOW_CONCURRENCY is "1001"; expected: a whole number from 1 to 1000');
    expect(text).toContain('AGENTFLOW_CLAIM_LEASE is "1.9s"; expected: a duration from 2s to 1h');
    expect(text).toContain("DATABASE_URL is not set; expected: a URL that begins with postgres://");
  });

  test.each([
    ["AGENTFLOW_MAX_ITERATIONS", ["1", "1000000"], ["0", "1000001", "-1", "1.5", "ten", "0x10"]],
    ["AGENTFLOW_MAX_REPEAT_ITERATIONS", ["1", "1000000"], ["0", "1000001", "many"]],
    [
      "AGENTFLOW_CLAIM_LEASE",
      ["2s", "2000ms", "2", "0.5 m", "1H"],
      ["1999ms", "2 weeks", "1m30s", "+5s", ".5h", "5.s"],
    ],
    ["AGENTFLOW_MAX_TIMEOUT", ["1ms", "30d", "3000000000ms"], ["0", "0ms", "3651d"]],
    ["AGENTFLOW_QUEUE", ["postgres"], ["Postgres", "kafka"]],
    ["AGENTFLOW_REDIS_ALLOW_EVICTION", ["1", "0", "on", "false"], ["yes", "2"]],
    ["REDIS_URL", ["redis://h", "rediss://u:p@h:1/2"], ["h:6379", "http://h", "redis://"]],
    ["AGENTFLOW_AGENT_RUNNER", [], ["OpenAI", "gpt"]],
    ["AGENTFLOW_SECRETS", ["A", "A, B_2"], ["A B", "DATABASE_URL", "AGENTFLOW_SECRET_KEY"]],
    [
      "AGENTFLOW_SECRET_KEY",
      ["0123456789abcdef".repeat(4), `${"A".repeat(43)}=`, "A".repeat(43)],
      ["short", "A".repeat(42), "0123456789abcdef".repeat(3), "!".repeat(43), `${"A".repeat(86)}==`],
    ],
    ["AGENTFLOW_LOG_LEVEL", ["debug", "silent"], ["verbose"]],
    [
      "AGENTFLOW_SCRIPT_ENV",
      ["A", "A, B_2"],
      ["A B", "1A", "DATABASE_URL", "REDIS_URL", "A,PGPASSWORD", "AGENTFLOW_API_KEY"],
    ],
  ])("S-28: %s takes %j and refuses %j", (name, legal, illegal) => {
    for (const value of legal)
      expect(readConfig("worker", {}, { DATABASE_URL, [name]: value }), value).toMatchObject({
        ok: true,
      });
    for (const value of illegal)
      expect(problemsOf(readConfig("worker", {}, { DATABASE_URL, [name]: value })), value).toEqual([name]);
  });

  test("S-28: the value of a secret is not shown, also when it is not a URL", () => {
    const shown = [
      "mysql://app:canary@db/x?password=canary",
      "canary",
      "postgres://app:can/ary@",
      "postgres:canary@h",
    ].map((value) => {
      const result = readConfig("api", {}, { DATABASE_URL: value });
      return describeProblems(result.ok ? [] : result.problems);
    });
    expect(shown).toHaveLength(4);
    for (const text of shown) {
      expect(text).toContain("DATABASE_URL is");
      expect(text).not.toMatch(/canary|can\/ary/);
    }
    expect(shown[0]).toContain("mysql://***@db/x");
  });

  test("a blank variable counts as not set, and an option of the command wins over the environment", () => {
    const env = { DATABASE_URL, AGENTFLOW_PORT: " ", AGENTFLOW_HOST: "0.0.0.0" };
    expect(readConfig("api", { AGENTFLOW_HOST: "::1" }, env)).toMatchObject({
      config: { port: 4700, host: "::1" },
    });
  });

  test("S-3: REDIS_URL chooses Redis for the queue unless AGENTFLOW_QUEUE says otherwise", () => {
    const env = { DATABASE_URL, REDIS_URL: "redis://r" };
    expect(readConfig("worker", {}, env)).toMatchObject({ config: { queue: "redis" } });
    expect(readConfig("worker", {}, { ...env, AGENTFLOW_QUEUE: "postgres" })).toMatchObject({
      config: { queue: "postgres" },
    });
  });

  test("F-28, S-28: what a runner of agents or a catalogue needs beside it is named", () => {
    const asked = (env: Record<string, string>) =>
      problemsOf(readConfig("worker", {}, { DATABASE_URL, ...env }));
    expect(asked({ AGENTFLOW_AGENT_RUNNER: "openai" })).toEqual([
      "AGENTFLOW_AGENT_BASE_URL",
      "AGENTFLOW_AGENT_MODEL",
    ]);
    expect(asked({ AGENTFLOW_AGENT_RUNNER: "command" })).toEqual(["AGENTFLOW_AGENT_COMMAND"]);
    expect(asked({ AGENTFLOW_CATALOGUE: "/c.json" })).toEqual(["AGENTFLOW_SECRET_KEY"]);
    expect(asked({ AGENTFLOW_CATALOGUE: "/c.json", AGENTFLOW_SECRET_KEY: "0".repeat(64) })).toEqual([]);
    expect(problemsOf(readConfig("dev", {}, { AGENTFLOW_CATALOGUE: "/c.json" }))).toEqual([]);
  });

  test("L-49: the key of contexts is 32 bytes, whichever way it is written, and is never shown", () => {
    for (const [written, bytes] of [
      ["ff".repeat(32), Array<number>(32).fill(255)],
      [`${"A".repeat(43)}=`, Array<number>(32).fill(0)],
    ] as const) {
      const result = readConfig("worker", {}, { DATABASE_URL, AGENTFLOW_SECRET_KEY: written });
      expect(result.ok && [...(result.config.secretKey ?? [])]).toEqual(bytes);
    }
    const refused = readConfig("worker", {}, { DATABASE_URL, AGENTFLOW_SECRET_KEY: "canary" });
    expect(describeProblems(refused.ok ? [] : refused.problems)).not.toContain("canary");
  });

  test("a client needs nothing and does not stumble over the settings of a server", () => {
    expect(readConfig("client", {}, { AGENTFLOW_CONCURRENCY: "many" })).toEqual({
      ok: true,
      config: { url: "http://127.0.0.1:4700", logLevel: "info" },
    });
  });
});

describe("the embedded services", () => {
  test("S-3: are the default of dev, in a folder of the user", () => {
    const result = readConfig("dev", {}, { HOME: "/home/ada" });
    const dataDir = process.getuid?.() === 0 ? "/var/lib/agentflow" : "/home/ada/.local/share/agentflow";
    expect(result).toMatchObject({
      ok: true,
      config: { embedded: true, dataDir, queue: "postgres" },
    });
  });

  test("S-3: are refused in production and by AGENTFLOW_EMBEDDED=0, unless the services are given", () => {
    const production = { NODE_ENV: "production", AGENTFLOW_QUEUE: "redis" };
    expect(problemsOf(readConfig("dev", {}, production))).toEqual(["DATABASE_URL", "REDIS_URL"]);
    expect(problemsOf(readConfig("dev", {}, { AGENTFLOW_EMBEDDED: "0" }))).toEqual(["DATABASE_URL"]);
    expect(readConfig("dev", {}, { AGENTFLOW_EMBEDDED: "0", DATABASE_URL })).toMatchObject({
      config: { embedded: false },
    });
    expect(readConfig("dev", {}, { ...production, AGENTFLOW_EMBEDDED: "1" })).toMatchObject({
      config: { embedded: true },
    });
  });
});

describe("the environment of child processes", () => {
  const env = {
    PATH: "/bin",
    HOME: "/h",
    LANG: "C",
    DATABASE_URL,
    REDIS_URL: "redis://r",
    FOO: "1",
    BAR: "2",
  };

  test("F-24: a step gets PATH, HOME, LANG, TZ and what the operator lists, never the credentials of the service", () => {
    expect(scriptEnvironment(["FOO", "ABSENT"], env)).toEqual({
      PATH: "/bin",
      HOME: "/h",
      LANG: "C",
      FOO: "1",
    });
    expect(scriptEnvironment([], {})).toEqual({ PATH: expect.stringContaining("/usr/bin") });
  });

  test("a process of our own inherits everything, with changes", () => {
    expect(
      serviceEnvironment({ DATABASE_URL: "postgres://new", FOO: null }, { FOO: "1", BAR: "2", DATABASE_URL }),
    ).toEqual({
      BAR: "2",
      DATABASE_URL: "postgres://new",
    });
  });
});
