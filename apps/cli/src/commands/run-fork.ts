import { connect } from "../connect.ts";
import { say, sayJsonText, tell } from "../console/out.ts";
import { readInputs, readPayload } from "../run/arguments.ts";
import { contractOfRun, watchRun } from "./run.ts";

export type ForkOptions = {
  readonly json?: true;
  readonly iteration: number;
  readonly loop?: string;
  readonly patch?: string;
  readonly input?: readonly string[];
  readonly flowVersion?: number;
  readonly maxIterations?: number;
  readonly timeout?: string;
  readonly idempotencyKey?: string;
  readonly wait?: true;
};

/** Starts a run that goes on from an earlier state of another one, which stays as it is; with `wait` it is followed. */
export async function forkCommand(id: string, options: ForkOptions): Promise<void> {
  const client = connect();
  const { iteration, loop, patch, input = [], flowVersion: version, idempotencyKey, wait, json } = options;
  const inputs = input.length === 0 ? undefined : readInputs(input, await contractOfRun(client, id, version));
  const { maxIterations, timeout } = options;
  const limits =
    maxIterations === undefined && timeout === undefined ? undefined : { maxIterations, timeout };
  const statePatchText = patch === undefined ? undefined : readPayload(patch);
  const forked = await client.forkRun(
    id,
    { iteration, loop, version, inputs, limits, statePatchText },
    { idempotencyKey },
  );
  if (!forked.created) tell("this Idempotency-Key had started the run before");
  if (wait) return watchRun(client, forked.run.id, json);
  if (json) return sayJsonText(await client.getRunText(forked.run.id));
  say(forked.run.id);
  tell(`follow it with: agentflow run watch ${forked.run.id}`);
}
