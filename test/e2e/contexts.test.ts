import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "@agentflow/contract";
import { ModelServer, type ModelReply, type ModelRequest } from "@agentflow/exec/testing";
import { createDatabase, type TestDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { AGENTFLOW, Command, REPOSITORY } from "../support/cli.ts";
import { until } from "../support/until.ts";

const MARK = "CTX-SECRET-7";
const CREDENTIAL = "tok-canary-4711";
const MODEL_KEY = "sk-canary-0815";
const PASSWORD = "pw-canary-2342";

const SOURCE = `
const notes = context.knowledge("Notes", { ids: ["notes"] });
const place = context.workspace("Place", { workspace: "place", access: "read-only" });
const tools = context.mcp("Tools", { ids: ["words"] });
const bundle = context.bundle("Resources", { knowledge: notes, workspace: place, mcp: tools });
const password = provide.password("Password", { value: "APP_PASSWORD" });

const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const checkContext = flow.input("context", "context");
const judge = agent.subAgent("Decide", { context: checkContext.value, state: checkState.value, round: checkIteration.value }, \`Decide round \${round}.\`);
export const goOn = flow.subflow("Go on?", { state: checkState, iteration: checkIteration, context: checkContext }, flow(judge), { decision: judge.result });

const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const bodyContext = flow.input("context", "context");
const step = tool.nodejs("One step", { context: bodyContext.value, state: bodyState.value }, \`node \${flowDir}/scripts/step.mjs \${workspaceRoot}\`);
const next = control.parseJson("Next state", { value: step.result });
export const advance = flow.subflow("Advance", { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey, context: bodyContext }, flow(step, next), { state: next.result });

const login = tool.nodejs("Log in", { password: password.value }, file("scripts/login.mjs"));
const begin = control.parseJson("Begin", { value: login.result });
const loop = control.while("Rounds", { context: bundle, state: begin.result, maxIterations: "10", timeout: "10m" }, goOn, advance);
const all = display.code("All", { content: loop.result });
export const run = flow("Run", login, begin, loop, all);
`;

/** Says what it saw of the context, never the context itself. */
const STEP = `import { readFileSync, statSync } from "node:fs";
const inputs = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
const file = process.env.AGENTFLOW_CONTEXT_FILE;
const context = readFileSync(file, "utf8");
const saw = {
  version: /${MARK} (\\w+)/.exec(context)?.[1],
  mode: (statSync(file).mode & 0o777).toString(8),
  place: process.argv[2] === JSON.parse(context).workspace.path,
  inputs: Object.keys(inputs),
  credential: context.includes("${CREDENTIAL}") || JSON.stringify(process.env).includes("${CREDENTIAL}"),
  mark: JSON.stringify(process.env).includes("${MARK}"),
};
console.log(JSON.stringify({ ...inputs.state, rounds: [...inputs.state.rounds, saw] }));
`;

/** Knows the password, and is careless enough to print it. */
const LOGIN = `import { readFileSync } from "node:fs";
const { password } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
console.error("logging in with " + password);
console.log(JSON.stringify({ right: password === "pw-canary-" + 2342, said: password, rounds: [],
  env: JSON.stringify(process.env).includes(password) }));
`;

const MCP_SERVER = join(REPOSITORY, "packages/exec/fixtures/mcp-server.mjs");

let folder: string;
let database: TestDatabase;
let model: ModelServer;
let dev: Command;
let client: Client;
let url: string;
let workers: readonly number[];
/** What the model answers to the Condition of a round. */
let decide: (round: number, request: ModelRequest) => ModelReply | string;

function catalogue(version: string): void {
  const knowledge = { notes: { title: "Notes", text: `${MARK} ${version}` } };
  const workspaces = { place: { path: folder } };
  const args = [MCP_SERVER, join(folder, "calls")];
  const mcp = { words: { command: process.execPath, args, env: ["LOOK_UP_TOKEN"] } };
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ knowledge, workspaces, mcp }));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agentflow-contexts-"));
  chmodSync(folder, 0o755);
  catalogue("v1");
  database = await createDatabase(inject("postgresUrl"));
  model = await ModelServer.start((request) =>
    decide(Number(/^Decide round (\d+)/.exec(request.prompt)?.[1]), request),
  );
  dev = new Command(
    process.execPath,
    [AGENTFLOW, "dev", "--json", "--port", "0", "--data", folder, "--workers", "2"],
    {
      DATABASE_URL: database.url,
      AGENTFLOW_CLAIM_LEASE: "2s",
      AGENTFLOW_LOG_LEVEL: "trace",
      AGENTFLOW_CATALOGUE: join(folder, "catalogue.json"),
      AGENTFLOW_AGENT_RUNNER: "openai",
      AGENTFLOW_AGENT_BASE_URL: model.baseUrl,
      AGENTFLOW_AGENT_MODEL: "loopback",
      AGENTFLOW_AGENT_API_KEY: MODEL_KEY,
      AGENTFLOW_SECRETS: "APP_PASSWORD",
      APP_PASSWORD: PASSWORD,
      LOOK_UP_TOKEN: CREDENTIAL,
    },
  );
  const [line] = await dev.says(/^.*\n/);
  const ready = JSON.parse(line) as { url: string; pids: { workers: readonly number[] } };
  workers = ready.pids.workers;
  ({ url } = ready);
  client = createClient({ url });
});
afterAll(async () => {
  await dev?.stop();
  await model?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Every row of every table and of the queue as text, and what stands in them as bytes. */
async function everythingStored(): Promise<string> {
  const pool = new pg.Client({ connectionString: database.url });
  await pool.connect();
  try {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(10);
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
      texts.push(name, ...rows.map(({ text }) => text));
    }
    return texts.join("\n");
  } finally {
    await pool.end();
  }
}

async function contextRows(): Promise<number> {
  const one = new pg.Client({ connectionString: database.url });
  await one.connect();
  const { rowCount } = await one.query("select from context");
  await one.end();
  return rowCount ?? 0;
}

async function everythingAnswered(id: string): Promise<string> {
  const paths = [
    ...["", "/state", "/history", "/events", "/logs", "/explain"].map((path) => `/v1/runs/${id}${path}`),
    "/v1/runs",
    "/v1/flows",
    "/v1/flows/contexts",
    "/v1/stats",
    "/metrics",
  ];
  const answers = paths.map(async (path) => {
    const answer = await fetch(new URL(path, url), { headers: { accept: "application/json" } });
    return `${path} ${answer.status}\n${await answer.text()}`;
  });
  return (await Promise.all(answers)).join("\n");
}

/** Nothing of the context or of a credential is in tables, answers and logs, in any spelling. */
async function expectClean(id: string): Promise<void> {
  const places = {
    stored: await everythingStored(),
    answered: await everythingAnswered(id),
    logged: dev.stderr,
  };
  expect(places.answered).toContain(`/v1/runs/${id}/state 200`);
  // The search is only worth something where there is something to find.
  expect(places.stored).toContain("public.context");
  expect(places.stored).toContain("[secret APP_PASSWORD]");
  expect(places.logged).toContain("job done");
  for (const secret of [MARK, CREDENTIAL, MODEL_KEY, PASSWORD]) {
    const bytes = Buffer.from(secret);
    for (const [place, text] of Object.entries(places)) {
      for (const spelling of [secret, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")])
        expect(text.includes(spelling), `${secret} in what is ${place}`).toBe(false);
    }
  }
}

const at = (id: string, status: string) =>
  until(`run ${id} is ${status}`, async () => {
    const run = await client.getRun(id);
    if (run.status === "failed" && status !== "failed") throw new Error(JSON.stringify(run.failure));
    return run.status === status ? run : null;
  });

test("AC-66, AC-68, L-48, L-49: a context crosses dying workers, is resolved once per start and resume, and is nowhere in the clear", async () => {
  const seen: string[] = [];
  let killed = false;
  decide = (round, { body }) => {
    const known = body.messages.map(({ content }) => String(content)).join("\n");
    seen.push(`${round} ${new RegExp(`${MARK} (\\w+)`).exec(known)?.[1]}`);
    if (round === 1) return { calls: [{ name: "look_up", arguments: '{"word":"go"}' }] };
    if (round === 2 && !killed) {
      killed = true;
      catalogue("v2");
      for (const pid of workers) process.kill(pid, "SIGKILL");
      return { then: "hang" };
    }
    return round === 3 ? "wait" : round === 5 ? "done" : "continue";
  };
  const decideWithTool = decide;
  decide = (round, request) => {
    const answered = request.body.messages.some(({ role }) => role === "tool");
    return answered ? "continue" : decideWithTool(round, request);
  };
  const files = { "scripts/step.mjs": STEP, "scripts/login.mjs": LOGIN };
  await client.registerFlow({ name: "contexts", source: SOURCE, files });
  const { run: started } = await client.startRun({ flow: "contexts" });

  const parked = await at(started.id, "waiting");
  expect(parked.loops).toMatchObject([{ iterations: 3, decision: "wait" }]);
  expect(parked.usage.inputTokens).toBeGreaterThan(0);
  expect(await contextRows()).toBe(1);
  await expectClean(started.id);

  await client.resumeRun(started.id);
  const ended = await at(started.id, "succeeded");
  // Round 2 was begun by a worker that died; the one that took it over still had what was captured at the start.
  expect(seen).toEqual(["1 v1", "2 v1", "2 v1", "3 v1", "4 v2", "5 v2"]);
  const state = JSON.parse(await client.getRunState(started.id)) as Record<string, unknown>;
  const saw = (version: string) => ({
    ...{ version, mode: "600", place: true, inputs: ["state"], credential: false, mark: false },
  });
  expect(state).toEqual({
    right: true,
    said: "[secret APP_PASSWORD]",
    env: false,
    rounds: [saw("v1"), saw("v1"), saw("v2")],
  });
  expect(ended.outputs["all"]).toContain('"decision":"done"');
  expect(await contextRows()).toBe(0);
  await expectClean(started.id);
});

test("L-10, L-49: a run whose context the catalogue cannot fill fails before its first round; its row goes as well", async () => {
  decide = () => "wait";
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ workspaces: { place: { path: folder } } }));
  const { run: started } = await client.startRun({ flow: "contexts" });
  const { failure, loops } = await at(started.id, "failed");
  expect(failure).toMatchObject({ code: "config_invalid", node: "loop" });
  expect(failure?.message).toMatch(/no knowledge notes.*no MCP server words/);
  expect(loops.every(({ iterations }) => iterations === 0)).toBe(true);
  expect(await contextRows()).toBe(0);
});

test("L-49: the row goes with a cancelled run", async () => {
  catalogue("v3");
  const { run: started } = await client.startRun({ flow: "contexts" });
  await at(started.id, "waiting");
  expect(await contextRows()).toBe(1);
  await client.cancelRun(started.id);
  expect(await contextRows()).toBe(0);
});
