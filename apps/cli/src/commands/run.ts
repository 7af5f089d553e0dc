import type { Client, RunAnswer, RunStatusWord } from "@agentflow/contract";
import { connect } from "../connect.ts";
import { say, sayJson, sayJsonText, tell } from "../console/out.ts";
import { follow } from "../run/follow.ts";
import { createProgress } from "../run/progress.ts";
import { exitCodeOf, runTable, runText } from "../run/show.ts";
import { readInputs, readPayload } from "../run/arguments.ts";

type Json = { readonly json?: true };

export type StartOptions = Json & {
  readonly input?: readonly string[];
  readonly tag?: readonly string[];
  readonly flowVersion?: number;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly idempotencyKey?: string;
  readonly wait?: true;
};

/** Starts a run; with `wait` it is followed to its end or until it is parked. */
export async function startCommand(flow: string, options: StartOptions): Promise<void> {
  const client = connect();
  const {
    input = [],
    tag,
    flowVersion: version,
    priority,
    concurrencyKey,
    idempotencyKey,
    wait,
    json,
  } = options;
  const inputs = input.length === 0 ? undefined : readInputs(input, await contractOf(client, flow, version));
  const started = await client.startRun(
    { flow, version, inputs, tags: tag === undefined ? undefined : [...tag], priority, concurrencyKey },
    { idempotencyKey },
  );
  if (!started.created) tell("this Idempotency-Key had started the run before");
  if (wait) return watchRun(client, started.run.id, json);
  if (json) return sayJsonText(await client.getRunText(started.run.id));
  say(started.run.id);
  tell(`follow it with: agentflow run watch ${started.run.id}`);
}

async function contractOf(client: Client, flow: string, version: number | undefined) {
  const found =
    version === undefined ? await client.getFlow(flow) : await client.getFlowVersion(flow, version);
  return found.contract;
}

/** Shows a run as it stands. */
export async function showCommand(id: string, { json }: Json): Promise<void> {
  const client = connect();
  if (json) sayJsonText(await client.getRunText(id));
  else say(runText(await client.getRun(id)));
}

export type ListOptions = Json & {
  readonly status?: readonly string[];
  readonly flow?: string;
  readonly tag?: string;
  readonly code?: string;
  readonly limit?: number;
  readonly cursor?: string;
};

/** Shows a page of runs, newest first. */
export async function listCommand({ json, status, ...query }: ListOptions): Promise<void> {
  const page = await connect().listRuns({ ...query, status: status as RunStatusWord[] | undefined });
  if (json) return sayJson(page);
  say(runTable(page.items));
  if (page.nextCursor !== null) tell(`more with: --cursor ${page.nextCursor}`);
}

/** Follows a run until it has ended or is parked. */
export async function watchCommand(id: string, { json }: Json): Promise<void> {
  await watchRun(connect(), id, json);
}

/** Follows a run with its progress on stderr, and shows it when it has ended or is parked. */
export async function watchRun(client: Client, id: string, json: true | undefined): Promise<void> {
  const progress = createProgress(process.stderr);
  const run = await follow(client, id, (seen) => progress.show(seen));
  progress.end();
  if (json) sayJsonText(await client.getRunText(id));
  else say(runText(run));
  process.exitCode = exitCodeOf(run);
}

export type ResumeOptions = Json & {
  readonly payload?: string;
  readonly input?: readonly string[];
  readonly flowVersion?: number;
  readonly nextIteration?: number;
  readonly buffer?: true;
  readonly until?: string;
  readonly withdraw?: true;
  readonly idempotencyKey?: string;
  readonly wait?: true;
};

/** Resumes a parked run, with a payload for its next iteration (L-40): now, at its next wait, or at a time. */
export async function resumeCommand(id: string, options: ResumeOptions): Promise<void> {
  const client = connect();
  const { payload, input = [], flowVersion: version, nextIteration, idempotencyKey, wait, json } = options;
  const { buffer, until } = options;
  if (options.withdraw) {
    await client.resumeRun(id, { until: null });
    return answer(client, id, json, (run) => `${run.id} is ${run.status}, no resume is kept`);
  }
  const payloadText = payload === undefined ? undefined : readPayload(payload);
  const inputs = input.length === 0 ? undefined : readInputs(input, await contractOfRun(client, id, version));
  const { resumed } = await client.resumeRun(
    id,
    { payloadText, inputs, version, nextIteration, buffer, until },
    { idempotencyKey },
  );
  if (!resumed) tell("this Idempotency-Key had resumed the run before");
  if (wait) return watchRun(client, id, json);
  await answer(client, id, json, resumedText);
}

function resumedText({ id, status, keptResume }: RunAnswer): string {
  if (keptResume === null) return `${id} is ${status}`;
  const { until } = keptResume;
  return `${id} is ${status}, the resume is kept ${until === null ? "for its next wait" : `until ${until}`}`;
}

/** What a version of the run's flow takes. */
export async function contractOfRun(client: Client, id: string, version: number | undefined) {
  const run = await client.getRun(id);
  return contractOf(client, run.flow, version ?? run.version);
}

/** Cancels a run; it is cancelled when this returns, also while its step is still being killed. */
export async function cancelCommand(id: string, { json }: Json): Promise<void> {
  const client = connect();
  const { executing } = await client.cancelRun(id);
  if (executing) tell("a step is still being killed");
  await answer(client, id, json, (run) => `${run.id} is ${run.status}`);
}

async function answer(client: Client, id: string, json: true | undefined, text: (run: RunAnswer) => string) {
  if (json) sayJsonText(await client.getRunText(id));
  else say(text(await client.getRun(id)));
}
