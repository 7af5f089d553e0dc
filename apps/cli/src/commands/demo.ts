import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Client, type RunAnswer } from "@agentflow/contract";
import { say, sayJsonText, tell } from "../console/out.ts";
import { ANSWER, exampleNames, MAIN_EXAMPLE, pushExample } from "../demo/examples.ts";
import { parkedText } from "../demo/instructions.ts";
import { startDev, type Dev, type DevOptions } from "../dev/start-dev.ts";
import { CommandError } from "../exit.ts";
import { follow } from "../run/follow.ts";
import { createProgress } from "../run/progress.ts";
import { runText } from "../run/show.ts";
import { devText } from "./dev.ts";

const PAYLOAD = JSON.stringify(ANSWER);
const PARKED_POLL_MS = 1000;
/** The example asks a handful of times; more means that it does not move. */
const MAX_ANSWERS = 20;

export type DemoOptions = DevOptions & { readonly exit?: true; readonly json?: true };

/**
 * Runs AgentFlow with the examples and the main one at work (S-2). With `exit` it answers by itself, shows the end, stops
 * everything and ends with 0; with 1 when the example did not end as it should.
 */
export async function demoCommand({ exit, json, ...options }: DemoOptions): Promise<void> {
  const dev = await startDev(options);
  tell(devText(dev));
  try {
    const client = createClient({ url: dev.url });
    const id = await startExample(client);
    if (exit) await answerToTheEnd(client, id, json);
    else await attend(client, id, dev);
  } catch (error) {
    // The service goes away under the demo when somebody stops it.
    if (dev.shutdown.signal.aborted) return;
    dev.shutdown.begin("the demo failed", 1);
    throw error;
  }
  if (exit) dev.shutdown.begin("the demo is over");
}

async function startExample(client: Client): Promise<string> {
  const names = exampleNames();
  for (const name of names) {
    const { version, created } = await pushExample(client, name);
    tell(`${name}: version ${version}${created ? " registered" : ""}`);
  }
  const { run } = await client.startRun({ flow: MAIN_EXAMPLE, tags: ["demo"] });
  tell(`started run ${run.id} of ${MAIN_EXAMPLE}`);
  return run.id;
}

/** Shows the run until it rests. */
async function show(client: Client, id: string): Promise<RunAnswer> {
  const progress = createProgress(process.stderr);
  try {
    return await follow(client, id, (run) => progress.show(run));
  } finally {
    progress.end();
  }
}

/** For a person: shows the run whenever it moves and says how to go on whenever it is parked. */
async function attend(client: Client, id: string, { url, shutdown }: Dev): Promise<void> {
  for (;;) {
    const run = await show(client, id);
    if (run.status !== "waiting") return say(`\n${runText(run)}\n\n${url} serves on; Ctrl-C stops it.`);
    say(parkedText(url, run, PAYLOAD));
    while ((await client.getRun(id).catch(() => run)).status === "waiting")
      await sleep(PARKED_POLL_MS, undefined, { signal: shutdown.signal });
  }
}

async function answerToTheEnd(client: Client, id: string, json: true | undefined): Promise<void> {
  let run = await show(client, id);
  for (let answers = 0; run.status === "waiting" && answers < MAX_ANSWERS; answers++) {
    const { summary = "" } = run.loops.findLast(({ status }) => status === "waiting") ?? {};
    tell(`parked: ${summary}\nresuming it with ${PAYLOAD}`);
    await client.resumeRun(id, { payloadText: PAYLOAD });
    run = await show(client, id);
  }
  if (json) sayJsonText(await client.getRunText(id));
  else say(runText(run));
  if (run.status !== "succeeded" || Object.keys(run.outputs).length === 0)
    throw new CommandError(`the example should have succeeded with a result, but it is ${run.status}`);
}
