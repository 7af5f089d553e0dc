import { connect } from "../connect.ts";
import { say, sayJson, sayJsonText, tell } from "../console/out.ts";
import { readInputs } from "../run/arguments.ts";
import { contractOfRun, watchRun } from "./run.ts";

type Json = { readonly json?: true };

/** Starts a loop over whose checkpoint cannot be trusted. */
export async function resetCommand(id: string, { json }: Json): Promise<void> {
  const client = connect();
  const run = await client.resetRun(id);
  if (json) sayJsonText(await client.getRunText(id));
  else say(`${run.id} is ${run.status}, its loop starts over`);
}

export type RerunOptions = Json & {
  readonly input?: readonly string[];
  readonly flowVersion?: number;
  readonly idempotencyKey?: string;
  readonly wait?: true;
};

/** Starts a new run with the version and inputs of another one, or given ones. */
export async function rerunCommand(id: string, options: RerunOptions): Promise<void> {
  const client = connect();
  const { input = [], flowVersion: version, idempotencyKey, wait, json } = options;
  const inputs = input.length === 0 ? undefined : readInputs(input, await contractOfRun(client, id, version));
  const { created, run } = await client.rerunRun(id, { inputs, version }, { idempotencyKey });
  if (!created) tell("this Idempotency-Key had started the run before");
  if (wait) return watchRun(client, run.id, json);
  if (json) return sayJsonText(await client.getRunText(run.id));
  say(run.id);
  tell(`follow it with: agentflow run watch ${run.id}`);
}

/** Deletes a run that is not running, with its history, events and logs. */
export async function deleteCommand(id: string, { json }: Json): Promise<void> {
  await connect().deleteRun(id);
  if (json) sayJson({ id, deleted: true });
  else say(`${id} is deleted`);
}
