import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type RunAnswer } from "@agentflow/contract";
import { ModelServer, type ModelRequest } from "@agentflow/exec/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AGENTFLOW, agentflow, Command, REPOSITORY } from "../support/cli.ts";
import { until } from "../support/until.ts";

type Expected = {
  readonly status: string;
  readonly decisions: Readonly<Record<string, number>>;
  readonly state: unknown;
  readonly outputs: Readonly<Record<string, string>>;
};

const EXAMPLES = join(REPOSITORY, "examples");
const names = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith("-agent"))
  .toSorted();
const readText = (...path: string[]): string => readFileSync(join(EXAMPLES, ...path), "utf8");

/** A model that understands the prompts of the examples and nothing else. */
function reply(prompt: string): string {
  const [, input = ""] = /<input name="\w+">\n([^]*)\n<\/input>/.exec(prompt) ?? [];
  if (prompt.startsWith("Look at the state.")) {
    const { cursor, records } = JSON.parse(input) as { cursor: number; records: unknown[] };
    return cursor < records.length ? " Continue\n" : "done";
  }
  if (prompt.startsWith("Write the final state up")) {
    const { valid, invalid } = JSON.parse(input) as { valid: unknown[]; invalid: unknown[] };
    return `# ${valid.length} valid, ${invalid.length} invalid`;
  }
  if (prompt.startsWith("You think out loud")) {
    const turn = Number(/This is turn (\d+)/.exec(prompt)?.[1]);
    return JSON.stringify({ say: `Thought ${turn}.`, settled: turn >= 3 });
  }
  if (prompt.startsWith("Goal, risk")) return `Goal: ${input.slice(0, 3)}`;
  if (prompt.startsWith("A summary")) return `In short: ${input}`;
  throw new Error(`a prompt of no example: ${prompt}`);
}

/** The same model as a coding agent's command. */
const AGENT = `let text = "";
for await (const chunk of process.stdin) text += chunk;
const reply = ${reply.toString()};
const starts = ["Look at", "Write the", "You think", "Goal, risk", "A summary"].map((start) => text.indexOf(start)).filter((at) => at >= 0);
process.stdout.write(reply(text.slice(Math.min(...starts))));
`;

async function serve(data: string, env: Readonly<Record<string, string>>) {
  const dev = new Command(process.execPath, [AGENTFLOW, "dev", "--json", "--data", data, "--port", "0"], {
    AGENTFLOW_CATALOGUE: join(EXAMPLES, "record-by-record-agent/catalogue.json"),
    ...env,
  });
  const [line] = await dev.says(/^.*\n/);
  const { url } = JSON.parse(line) as { url: string };
  return { dev, url };
}

/** Pushes an example, runs it to its end and compares that with what its folder states. */
async function runsAsExpected(url: string, name: string): Promise<RunAnswer> {
  const pushed = await agentflow(["flow", "push", join(EXAMPLES, name), "--json"], { AGENTFLOW_URL: url });
  expect(JSON.parse(pushed.stdout), pushed.stderr).toMatchObject({ flow: name, warnings: [] });
  const client = createClient({ url });
  const { run: started } = await client.startRun({ flow: name });
  const run = await until(`run of ${name} ends`, async () => {
    const seen = await client.getRun(started.id);
    return seen.finishedAt === null ? null : seen;
  });
  const expected = JSON.parse(readText(name, "expected.json")) as Expected;
  expect(run, JSON.stringify(run.failure)).toMatchObject({
    status: expected.status,
    outputs: expected.outputs,
  });
  if (expected.state === null) return run;
  expect(JSON.parse(await client.getRunState(run.id))).toEqual(expected.state);
  const { items } = await client.getRunHistory(run.id);
  const decisions: Record<string, number> = {};
  for (const { decision } of items) decisions[decision] = (decisions[decision] ?? 0) + 1;
  expect(decisions).toEqual(expected.decisions);
  return run;
}

test("every example with agents says what it shows, how to run it and what to expect", () => {
  expect(names).toEqual(["conversation-agent", "record-by-record-agent", "ticket-summary-agent"]);
  for (const name of names) {
    const readme = readText(name, "README.md");
    for (const text of [
      `flow push examples/${name}\n`,
      `run start ${name} `,
      "curl ",
      "AGENTFLOW_AGENT_RUNNER",
    ])
      expect(readme).toContain(text);
    expect(readText("README.md")).toContain(`[${name}](${name})`);
  }
});

test.each(names)("F-12: the example %s lints without a finding", async (name) => {
  const linted = await agentflow(["flow", "dsl", "lint", join(EXAMPLES, name), "--json"]);
  expect({ code: linted.code, ...JSON.parse(linted.stdout) }).toEqual({ code: 0, errors: [], warnings: [] });
});

/** How often each example asks the model, in all and within its loop. */
const ANSWERS: Readonly<Record<string, { readonly whole: number; readonly looped: number }>> = {
  "conversation-agent": { whole: 3, looped: 3 },
  "record-by-record-agent": { whole: 5, looped: 4 },
  "ticket-summary-agent": { whole: 2, looped: 0 },
};

describe.each(["openai", "command"])("with the runner %s", (runner) => {
  const requests: ModelRequest[] = [];
  let model: ModelServer;
  let data: string;
  let serving: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "agentflow-agents-"));
    chmodSync(data, 0o755);
    model = await ModelServer.start((request) => {
      requests.push(request);
      // A service that is busy now and then: nobody but the log should notice.
      return requests.length % 4 === 2
        ? { status: 429, headers: { "retry-after": "0" } }
        : reply(request.prompt);
    });
    writeFileSync(join(data, "agent.mjs"), AGENT);
    serving = await serve(data, {
      AGENTFLOW_AGENT_RUNNER: runner,
      AGENTFLOW_AGENT_BASE_URL: model.baseUrl,
      AGENTFLOW_AGENT_MODEL: "loopback",
      AGENTFLOW_AGENT_COMMAND: `node ${join(data, "agent.mjs")}`,
    });
  });
  afterAll(async () => {
    await serving?.dev.stop();
    await model?.close();
    rmSync(data, { recursive: true, force: true, maxRetries: 10 });
  });

  test.each(names)(
    "F-12, F-26, F-27: the example %s ends as it should, and its tokens are counted",
    async (name) => {
      const asked = requests.length;
      const { usage, loops } = await runsAsExpected(serving.url, name);
      if (runner === "command") {
        expect(usage).toEqual({ inputTokens: 0, outputTokens: 0 });
        expect(requests).toEqual([]);
        return;
      }
      expect(requests.length).toBeGreaterThan(asked);
      const { whole, looped } = { ...ANSWERS[name] } as { whole: number; looped: number };
      expect(usage).toEqual({ inputTokens: 10 * whole, outputTokens: 5 * whole });
      if (loops[0]) expect(loops[0].usage).toEqual({ inputTokens: 10 * looped, outputTokens: 5 * looped });
      if (name === "conversation-agent") return;
      const rules = requests.some(({ body }) => JSON.stringify(body).includes("House rules for records"));
      expect(rules).toBe(true);
    },
  );
});
