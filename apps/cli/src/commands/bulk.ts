import type { BulkAnswer, RunStatusWord, StartBulk } from "@agentflow/contract";
import { connect } from "../connect.ts";
import { say, sayJson, tell } from "../console/out.ts";
import { table } from "../console/text.ts";
import { usageError } from "../exit.ts";
import { readPayload } from "../run/arguments.ts";
import { runTable } from "../run/show.ts";

type Json = { readonly json?: true };
type Page = Json & { readonly limit?: number; readonly cursor?: string };

export type StartBulkOptions = Json & {
  readonly run?: readonly string[];
  readonly all?: true;
  readonly status?: readonly string[];
  readonly flow?: string;
  readonly tag?: string;
  readonly code?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly payload?: string;
  readonly buffer?: true;
  readonly flowVersion?: number;
  readonly perSecond?: number;
  readonly idempotencyKey?: string;
  readonly preview?: true;
};

/** Resumes, cancels or reruns many runs; with `preview` it only tells which. */
export async function startBulkCommand(action: string, options: StartBulkOptions): Promise<void> {
  const { payload, buffer, flowVersion: version, perSecond, idempotencyKey, preview, json } = options;
  const payloadText = payload === undefined ? undefined : readPayload(payload);
  const what = { action: action as StartBulk["action"], ...targetOf(options), payloadText };
  const asked: StartBulk = { ...what, buffer, version, perSecond };
  const client = connect();
  if (preview) {
    const found = await client.previewBulk(asked);
    if (json) return sayJson(found);
    say(`${found.count} runs`);
    if (found.count > 0) say(runTable(found.sample));
    return;
  }
  const { created, bulk } = await client.startBulk(asked, { idempotencyKey });
  if (!created) tell("this Idempotency-Key had started the action before");
  if (json) return sayJson(bulk);
  say(bulk.id);
  tell(`${bulk.total} runs at ${bulk.perSecond} a second; follow it with: agentflow bulk show ${bulk.id}`);
}

/** Runs named, or a filter; all runs only when that is said. */
function targetOf(options: StartBulkOptions): Pick<StartBulk, "ids" | "filter"> {
  const { run, all, status, flow, tag, code, createdAfter, createdBefore } = options;
  const filter = {
    status: status as RunStatusWord[] | undefined,
    flow,
    tag,
    code,
    createdAfter,
    createdBefore,
  };
  const filtered = Object.values(filter).some((one) => one !== undefined);
  if ([run !== undefined, filtered, all === true].filter(Boolean).length !== 1)
    throw usageError("name the runs by --run, or by a filter such as --flow, or say --all");
  return run === undefined ? { filter } : { ids: [...run] };
}

/** Shows a bulk action and how far it has come. */
export async function showBulkCommand(id: string, { json }: Json): Promise<void> {
  const bulk = await connect().getBulk(id);
  if (json) sayJson(bulk);
  else say(bulkText(bulk));
}

function bulkText({
  id,
  action,
  status,
  total,
  done,
  perSecond,
  outcomes,
  createdAt,
  actor,
}: BulkAnswer): string {
  const lines = [
    `${id}  ${action}  ${status}`,
    `${done} of ${total} runs, ${perSecond} a second, since ${createdAt} by ${actor}`,
  ];
  for (const [outcome, runs] of Object.entries(outcomes)) lines.push(`  ${runs} ${outcome}`);
  return lines.join("\n");
}

/** Shows a page of bulk actions, newest first. */
export async function listBulkCommand({ json, ...query }: Page): Promise<void> {
  const page = await connect().listBulk(query);
  if (json) return sayJson(page);
  const rows = page.items.map(({ id, action, status, done, total, createdAt }) => [
    ...[id, action, status, `${done}/${total}`, createdAt],
  ]);
  say(table([["ACTION", "WHAT", "STATUS", "DONE", "CREATED"], ...rows]));
  if (page.nextCursor !== null) tell(`more with: --cursor ${page.nextCursor}`);
}

/** Shows what became of the runs of a bulk action. */
export async function bulkRunsCommand(
  id: string,
  { json, ...query }: Page & { readonly outcome?: string },
): Promise<void> {
  const page = await connect().listBulkRuns(id, query);
  if (json) return sayJson(page);
  const rows = page.items.map(({ runId, outcome, message, startedId }) => [
    ...[runId, outcome ?? "-", startedId ?? message ?? ""],
  ]);
  say(table([["RUN", "OUTCOME", ""], ...rows]));
  if (page.nextCursor !== null) tell(`more with: --cursor ${page.nextCursor}`);
}

/** Stops a bulk action; what was done stays done. */
export async function abortBulkCommand(id: string, { json }: Json): Promise<void> {
  const bulk = await connect().abortBulk(id);
  if (json) sayJson(bulk);
  else say(bulkText(bulk));
}
