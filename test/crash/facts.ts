import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { stepProcesses } from "../support/step-processes.ts";

/** One start of a command, as the command itself noted it. */
export type LedgerLine = {
  readonly role: string;
  readonly iteration: number;
  readonly key: string;
  readonly runId: string;
  /** Fencing token of the attempt. */
  readonly token: number;
};

export type HistoryRow = {
  readonly iteration: number;
  readonly decision: string;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly key: string;
};

/** Everything that can be seen of one run from outside: its rows, its jobs, its processes, its effects. */
export type Facts = {
  readonly status: string;
  readonly code: string | null;
  readonly token: number;
  readonly nextIteration: number;
  readonly leased: boolean;
  readonly due: boolean;
  readonly state: string | null;
  readonly checkpointNext: number;
  readonly elapsedMs: number;
  readonly history: readonly HistoryRow[];
  /** Types and iterations of all events, by their numbers. */
  readonly events: readonly { readonly seq: number; readonly type: string; readonly iteration?: number }[];
  readonly ledger: readonly LedgerLine[];
  readonly jobs: readonly string[];
  readonly processes: readonly number[];
};

type RunRow = Omit<Facts, "history" | "events" | "ledger" | "jobs" | "processes">;

const RUN = `
  select r.status, r.failure_code as code, r.token::int, r.next_iteration as "nextIteration",
         coalesce(r.lease_until >= now(), false) as leased, r.due_at is not null as due,
         c.state, c.next_iteration as "checkpointNext", c.elapsed_ms::int as "elapsedMs"
  from run r left join checkpoint c on c.run_id = r.id and c.path = r.loop
  where r.id = $1`;

const HISTORY = `
  select iteration, decision, attempts, elapsed_ms::int as "elapsedMs", idempotency_key as key
  from iteration where run_id = $1 order by path, epoch, iteration`;

const EVENTS = "select seq::int, events from event where run_id = $1 order by seq";

export async function gatherFacts(
  database: pg.Pool,
  folder: string,
  runId: string,
  jobs: readonly string[],
): Promise<Facts> {
  const { rows: runs } = await database.query<RunRow>(RUN, [runId]);
  const { rows: history } = await database.query<HistoryRow>(HISTORY, [runId]);
  const { rows: told } = await database.query<{ seq: number; events: string }>(EVENTS, [runId]);
  const [run] = runs;
  if (run === undefined) throw new Error(`no run ${runId}`);
  const events = told.flatMap(({ seq, events: text }) =>
    (JSON.parse(text) as { type: string; iteration?: number }[]).map((event, index) => ({
      ...event,
      seq: seq + index,
    })),
  );
  const ledger = (await readLedger(folder)).filter((line) => line.runId === runId);
  return { ...run, history, events, ledger, jobs, processes: stepProcesses(runId) };
}

/** All commands started so far, oldest first. */
export async function readLedger(folder: string): Promise<LedgerLine[]> {
  const text = await readFile(join(folder, "ledger"), "utf8").catch(() => "");
  return text.split("\n").slice(0, -1).map(readLine);
}

function readLine(line: string): LedgerLine {
  const [role = "", iteration = "", key = "", mark = ""] = line.split(" ");
  const [runId = "", token = ""] = mark.slice(0, mark.indexOf("@")).split("_");
  return { role, iteration: Number(iteration), key, runId, token: Number(token) };
}
