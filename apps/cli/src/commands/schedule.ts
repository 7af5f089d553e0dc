import type { SaveSchedule, ScheduleAnswer } from "@agentflow/contract";
import { connect } from "../connect.ts";
import { say, sayJson, tell } from "../console/out.ts";
import { table } from "../console/text.ts";
import { readInputs } from "../run/arguments.ts";

type Json = { readonly json?: true };

export type PlanOptions = Json & {
  readonly input?: readonly string[];
  readonly flowVersion?: number;
  readonly tag?: readonly string[];
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly timeZone?: string;
  readonly overlap?: "skip" | "queue" | "allow";
  readonly catchUp?: "none" | "one" | "all";
  readonly jitterMs?: number;
  readonly paused?: true;
};

/** Makes a schedule and shows its next ticks. */
export async function createScheduleCommand(flow: string, cron: string, options: PlanOptions): Promise<void> {
  const made = await connect().createSchedule(await planOf(flow, cron, options));
  if (options.json) return sayJson(made);
  say(made.id);
  tell(made.next[0] === undefined ? "it has no next tick" : `its next tick is ${made.next[0]}`);
}

/** Replaces everything a schedule says. */
export async function replaceScheduleCommand(
  ...[id, flow, cron, options]: [string, string, string, PlanOptions]
): Promise<void> {
  showOne(await connect().replaceSchedule(id, await planOf(flow, cron, options)), options);
}

/** Inputs are read as the flow's version takes them, the newest one if none is named. */
async function planOf(flow: string, cron: string, options: PlanOptions): Promise<SaveSchedule> {
  const { input, flowVersion: version, tag, priority, concurrencyKey } = options;
  const { timeZone, overlap, catchUp, jitterMs, paused } = options;
  const client = connect();
  let inputs;
  if (input !== undefined) {
    const found =
      version === undefined ? await client.getFlow(flow) : await client.getFlowVersion(flow, version);
    inputs = readInputs(input, found.contract);
  }
  return {
    ...{ flow, version, inputs, priority, concurrencyKey },
    ...{ tags: tag === undefined ? undefined : [...tag], cron, timeZone, overlap, catchUp, jitterMs, paused },
  };
}

/** Shows, pauses, resumes or removes a schedule. */
export async function scheduleCommand(
  act: "show" | "pause" | "resume" | "delete",
  id: string,
  options: Json,
): Promise<void> {
  const client = connect();
  if (act === "delete") {
    await client.deleteSchedule(id);
    if (options.json) sayJson({ id, deleted: true });
    else tell(`removed schedule ${id}; the runs it started stay`);
    return;
  }
  const call = { show: client.getSchedule, pause: client.pauseSchedule, resume: client.resumeSchedule }[act];
  showOne(await call(id), options);
}

function showOne(schedule: ScheduleAnswer, { json }: Json): void {
  if (json) sayJson(schedule);
  else say(scheduleText(schedule));
}

function scheduleText(schedule: ScheduleAnswer): string {
  const { id, flow, version, cron, timeZone, overlap, catchUp, jitterMs, next } = schedule;
  const { lastTick, lastOutcome, lastMessage, lastRunId } = schedule;
  const state = schedule.paused ? "paused" : "active";
  const lines = [
    `${id}  ${flow}${version === null ? "" : ` version ${version}`}  ${state}`,
    `${cron}  ${timeZone}, overlap ${overlap}, catch-up ${catchUp}, jitter ${jitterMs} ms`,
    ...next.map((tick) => `  next ${tick}`),
  ];
  if (lastTick !== null)
    lines.push(`last ${lastTick}: ${lastOutcome}${lastMessage ? `, ${lastMessage}` : ""}`);
  if (lastRunId !== null) lines.push(`last run ${lastRunId}`);
  return lines.join("\n");
}

/** Shows a page of schedules, newest first. */
export async function listSchedulesCommand({
  json,
  ...query
}: Json & { readonly limit?: number; readonly cursor?: string }): Promise<void> {
  const page = await connect().listSchedules(query);
  if (json) return sayJson(page);
  const rows = page.items.map(({ id, flow, cron, timeZone, paused, nextAt, lastOutcome }) => [
    ...[id, flow, cron, timeZone, paused ? "paused" : (nextAt ?? "never"), lastOutcome ?? "-"],
  ]);
  say(table([["SCHEDULE", "FLOW", "CRON", "TIME ZONE", "NEXT", "LATEST TICK"], ...rows]));
  if (page.nextCursor !== null) tell(`more with: --cursor ${page.nextCursor}`);
}
