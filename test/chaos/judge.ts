import type { Told as CallersStory } from "./callers.ts";
import type { Committed, Effect, EventRow, Evidence, RunRow } from "./evidence.ts";
import { stormFlows, type StormFlow } from "./flows.ts";

export type Violation = { readonly kind: "lost" | "doubled" | "stuck" | "other"; readonly text: string };

const LIVE = new Set(["queued", "running"]);

/** Everything that must hold of all runs when the storm is over (S-5 to S-9, S-11, L-14, L-33, L-35, L-37, L-39), as what does not. */
export function judge(stories: readonly CallersStory[], evidence: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const story of stories) {
    const rows = evidence.runs.filter(({ key }) => key === story.plan.key);
    const [run] = rows;
    const note = (kind: Violation["kind"], text: string): void =>
      void found.push({ kind, text: `${story.plan.key} (${story.plan.flow}, ${run?.id}): ${text}` });
    for (const text of story.violations) note(text.startsWith("doubled") ? "doubled" : "other", text);
    if (rows.length > 1) note("doubled", `its start made ${rows.length} runs`);
    if (run === undefined) note("lost", "there is no such run");
    else judgeRun(story, run, evidence, note);
  }
  for (const run of evidence.runs)
    if (!stories.some(({ plan }) => plan.key === run.key))
      found.push({ kind: "doubled", text: `nobody started run ${run.id}` });
  return found;
}

type Note = (kind: Violation["kind"], text: string) => void;

function judgeRun(story: CallersStory, run: RunRow, evidence: Evidence, note: Note): void {
  const rows = evidence.committed.filter(({ runId }) => runId === run.id);
  const effects = evidence.effects.filter(({ runId }) => runId === run.id);
  judgeEnd(story, run, rows, note);
  judgeRows(rows, note);
  judgeEffects(story, rows, effects, note);
  judgeEvents(
    evidence.events.filter(({ runId }) => runId === run.id),
    rows,
    note,
  );
}

/** Numbered without a gap, and each iteration told of once (L-50). */
function judgeEvents(events: readonly EventRow[], rows: readonly Committed[], note: Note): void {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) note("other", `event ${events[gap]?.seq} stands where ${gap + 1} belongs`);
  const told = events
    .filter(({ type }) => type === "while-iteration-done")
    .map(({ idempotencyKey = "" }) => idempotencyKey);
  if (new Set(told).size !== told.length) note("doubled", "events tell of an iteration twice");
  const stored = new Set(rows.map(({ key }) => key));
  const missing = rows.filter(({ key }) => !told.includes(key)).length;
  const invented = told.filter((key) => !stored.has(key)).length;
  if (missing > 0) note("lost", `no event tells of ${missing} iterations`);
  if (invented > 0) note("other", `events tell of ${invented} iterations that are not stored`);
}

function judgeEnd({ plan, cancel }: CallersStory, run: RunRow, rows: readonly Committed[], note: Note): void {
  const { state, rows: wanted, pausedMs = 0 }: StormFlow = stormFlows[plan.flow];
  if (LIVE.has(run.status)) return note("stuck", `it is ${run.status} for ever`);
  const expected = cancel === "done" ? "cancelled" : "succeeded";
  if (run.status !== expected) {
    const kind = run.status === "waiting" ? "stuck" : "other";
    return note(kind, `it is ${run.status}${run.code === null ? "" : ` with ${run.code}`}, not ${expected}`);
  }
  if (run.status === "cancelled") return;
  if (run.state !== state) note("other", `its state is ${run.state}, not ${state}`);
  if (rows.length < wanted) note("lost", `${rows.length} iterations are stored, not ${wanted}`);
  if (rows.length > wanted) note("doubled", `${rows.length} iterations are stored, not ${wanted}`);
  if (run.besideRowsMs !== pausedMs)
    note("other", `${run.besideRowsMs} ms of its time are in no row, not the ${pausedMs} ms of its pauses`);
}

function judgeRows(rows: readonly Committed[], note: Note): void {
  const next = new Map<string, number>();
  for (const { path, iteration } of rows) {
    const wanted = next.get(path) ?? 1;
    if (iteration > wanted) note("lost", `iterations ${wanted} to ${iteration - 1} of ${path} are missing`);
    if (iteration < wanted) note("doubled", `iteration ${iteration} of ${path} is stored twice`);
    next.set(path, iteration + 1);
  }
  if (new Set(rows.map(({ key }) => key)).size !== rows.length)
    note("doubled", "two iterations have one key");
}

function judgeEffects(
  { plan, payloads }: CallersStory,
  rows: readonly Committed[],
  effects: readonly Effect[],
  note: Note,
): void {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  for (const row of rows)
    if (!effects.some(({ key }) => key === row.key)) note("lost", `iteration ${row.iteration} had no effect`);
  const attempts = new Set<string>();
  for (const { role, iteration, key, token, payload } of effects) {
    if (role === "after") continue;
    const what = `${role} ${iteration}`;
    const row = byKey.get(key);
    if (row === undefined && !plan.cancelled) note("other", `${what} ran under a key that is not stored`);
    if (row !== undefined && row.iteration !== iteration)
      note("other", `${what} ran under the key of iteration ${row.iteration}`);
    if (row !== undefined && token > row.token) note("doubled", `${what} ran again after its commit`);
    const attempt = `${what} ${key} ${token}`;
    if (attempts.has(attempt)) note("doubled", `${what} ran twice in one attempt`);
    attempts.add(attempt);
    const wanted = payloads.get(iteration);
    if (role === "script" && wanted !== undefined && payload !== JSON.stringify(wanted))
      note("other", `${what} saw the payload ${payload}, not ${JSON.stringify(wanted)}`);
  }
}

/** Iterations of which some step was started in more than one attempt. */
export function reExecuted(effects: readonly Effect[]): number {
  const tokens = new Map<string, Set<number>>();
  for (const { role, key, token } of effects.filter((effect) => effect.role !== "after")) {
    const of = `${role} ${key}`;
    tokens.set(of, (tokens.get(of) ?? new Set()).add(token));
  }
  const repeated = [...tokens].filter(([, seen]) => seen.size > 1).map(([of]) => of.split(" ")[1]);
  return new Set(repeated).size;
}
