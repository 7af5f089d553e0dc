import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Client, type RunAnswer } from "@agentflow/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentflow, REPOSITORY, serve, type Serving } from "../support/cli.ts";
import { until } from "../support/until.ts";

/** What an example's `expected.json` states. `state` is null for a flow without a loop. */
type Expected = {
  /** Where it parks, in order: the iteration, the first line of the question, and the answer; left out: a resume without one. */
  readonly parks: readonly { readonly iteration: number; readonly asks: string; readonly answer?: unknown }[];
  readonly status: string;
  readonly decisions: Readonly<Record<string, number>>;
  readonly state: unknown;
  readonly outputs: Readonly<Record<string, string>>;
};

/** A few hundred iterations of three processes each, on a machine that has other things to do. */
const RUN_LIMIT_MS = 240_000;
/** Looking more often would take the processor away from what is looked at. */
const LOOK_MS = 200;

const EXAMPLES = join(REPOSITORY, "examples");
const examples = readdirSync(EXAMPLES, { withFileTypes: true })
  // Those need a model; agent-examples.test.ts brings one.
  .filter((entry) => entry.isDirectory() && !entry.name.endsWith("-agent"))
  .map(({ name }) => name)
  .toSorted();

let data: string;
let serving: Serving;
let client: Client;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "agentflow-examples-"));
  // The database's user must be able to pass through.
  chmodSync(data, 0o755);
  serving = await serve("--data", data, "--port", "0");
  client = createClient({ url: serving.url });
});
afterAll(async () => {
  await serving?.command.stop();
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
});

const readText = (...path: string[]): string => readFileSync(join(EXAMPLES, ...path), "utf8");
const readExpected = (name: string): Expected => JSON.parse(readText(name, "expected.json")) as Expected;

async function push(name: string): Promise<void> {
  const pushed = await agentflow(["flow", "push", join(EXAMPLES, name), "--json"], {
    AGENTFLOW_URL: serving.url,
  });
  expect(JSON.parse(pushed.stdout), pushed.stderr).toMatchObject({ flow: name, version: 1, warnings: [] });
}

/** The run when nothing of it moves any more. */
function atRest(id: string): Promise<RunAnswer> {
  const isMoving = ({ status }: RunAnswer): boolean => status === "queued" || status === "running";
  const look = async (): Promise<RunAnswer | null> => {
    const run = await client.getRun(id);
    if (!isMoving(run)) return run;
    await sleep(LOOK_MS);
    return null;
  };
  return until(`run ${id} rests`, look, RUN_LIMIT_MS);
}

async function historyOf(id: string) {
  const items = [];
  for (let cursor: string | undefined, more = true; more;) {
    const page = await client.getRunHistory(id, { limit: 200, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
    more = cursor !== undefined;
  }
  return items;
}

test("every example says what it shows, how to run it and how it ends", () => {
  expect(examples).toContain("import-contacts");
  for (const name of examples) {
    const readme = readText(name, "README.md");
    expect(readme).toContain(`npx agentflow flow push examples/${name}\n`);
    expect(readme).toContain(`npx agentflow run start ${name} `);
    expect(readme).toContain("curl ");
    expect(readText("README.md")).toContain(`[${name}](${name})`);
    expect(existsSync(join(EXAMPLES, name, "expected.json"))).toBe(true);
  }
});

test.each(examples)("F-12: the example %s lints without a finding", async (name) => {
  const linted = await agentflow(["flow", "dsl", "lint", join(EXAMPLES, name), "--json"]);
  expect({ code: linted.code, ...JSON.parse(linted.stdout) }).toEqual({ code: 0, errors: [], warnings: [] });
});

test.each(examples)(
  "F-12 L-40 R-9: the example %s parks where it should and ends as it should",
  { timeout: RUN_LIMIT_MS + 60_000 },
  async (name) => {
    const expected = readExpected(name);
    await push(name);
    const { run: started } = await client.startRun({ flow: name });

    let run = await atRest(started.id);
    for (const { iteration, asks, ...rest } of expected.parks) {
      expect(run, JSON.stringify(run.failure)).toMatchObject({
        status: "waiting",
        loops: [{ iterations: iteration, decision: "wait" }],
      });
      expect(run.loops[0]?.summary.split("\n")[0]).toBe(asks);
      await client.resumeRun(run.id, "answer" in rest ? { payload: rest.answer } : {});
      run = await atRest(run.id);
    }

    expect(run, JSON.stringify(run.failure)).toMatchObject({ status: expected.status, failure: null });
    expect(run.outputs).toEqual(expected.outputs);
    if (expected.state === null) {
      expect(run.loops).toEqual([]);
      return;
    }
    expect(JSON.parse(await client.getRunState(run.id))).toEqual(expected.state);
    const history = await historyOf(run.id);
    expect(history.map(({ iteration }) => iteration)).toEqual(history.map((_, index) => index + 1));
    const decisions: Record<string, number> = {};
    for (const { decision } of history) decisions[decision] = (decisions[decision] ?? 0) + 1;
    expect(decisions).toEqual(expected.decisions);
  },
);

test.each([
  ["batchSize", 0, "batchSize must be a whole number from 1 to 20"],
  ["contacts", "data/other.csv", "the flow folder has no file data/other.csv"],
  ["contacts", "expected.json", "expected.json has no column name, email, phone, country, joined, note"],
])("import-contacts says what is wrong with the input %s = %j before it imports", async (id, value, says) => {
  await agentflow(["flow", "push", join(EXAMPLES, "import-contacts")], { AGENTFLOW_URL: serving.url });
  const { run: started } = await client.startRun({ flow: "import-contacts", inputs: { [id]: value } });
  const run = await atRest(started.id);
  expect(run).toMatchObject({
    status: "failed",
    failure: { code: "exit_nonzero", node: "begin" },
    loops: [],
  });
  expect(run.failure?.message).toContain(says);
});

test("OP-6, O-1: an operation is registered as it stands and runs to its end, with pauses between its looks", async () => {
  const operation = {
    condition: "payload.status != 'arrived' && results.length < 10",
    action: {
      name: "tool.nodejs",
      params: {
        script: "test ${look} -ge 3 && echo arrived || echo 'on its way'",
        look: "attempt.attemptNumber",
      },
    },
    outputMapping: { "*": "status" },
    maxIterations: 20,
    delayBetweenIterationsMs: 50,
  };
  await client.registerFlow({ name: "track", operation });
  const { run: started } = await client.startRun({
    flow: "track",
    inputs: { state: { order: "T-1", status: "unknown" } },
  });
  const run = await atRest(started.id);
  expect(run, JSON.stringify(run.failure)).toMatchObject({ status: "succeeded", failure: null });
  expect(await client.getRunState(run.id)).toBe('{"order":"T-1","status":"arrived"}');
  const history = await historyOf(run.id);
  expect(history.map(({ decision }) => decision)).toEqual(["continue", "continue", "continue", "done"]);
});
