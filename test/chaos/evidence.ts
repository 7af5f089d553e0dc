import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

/** One start of a command, as the command itself wrote it down. */
export type Effect = {
  readonly role: string;
  readonly iteration: number;
  readonly key: string;
  readonly runId: string;
  /** Fencing token of the attempt. */
  readonly token: number;
  readonly payload: string;
};

export type RunRow = {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly code: string | null;
  readonly state: string | null;
  /** Elapsed time of all its loops that no iteration's row accounts for, ms. */
  readonly besideRowsMs: number;
};

export type Committed = {
  readonly runId: string;
  readonly path: string;
  readonly iteration: number;
  /** Fencing token it was committed with. */
  readonly token: number;
  readonly key: string;
};

export type EventRow = {
  readonly runId: string;
  readonly seq: number;
  readonly type: string;
  readonly idempotencyKey?: string;
};

/** All that is left of a storm, as it can be seen from outside. */
export type Evidence = {
  readonly runs: readonly RunRow[];
  readonly committed: readonly Committed[];
  readonly events: readonly EventRow[];
  readonly effects: readonly Effect[];
};

const RUNS = `
  select r.id, r.idempotency_key as key, r.status, r.failure_code as code, c.state,
         ((select coalesce(sum(t.elapsed_ms), 0) from checkpoint t where t.run_id = r.id)
           - (select coalesce(sum(i.elapsed_ms), 0) from iteration i where i.run_id = r.id))::int as "besideRowsMs"
  from run r left join checkpoint c on c.run_id = r.id and c.path = r.loop`;

const COMMITTED = `
  select run_id as "runId", path, iteration, token::int, idempotency_key as key
  from iteration order by run_id, path, epoch, iteration`;

const EVENTS = `select run_id as "runId", seq::int, events from event order by run_id, seq`;

export async function gatherEvidence(database: pg.Pool, folder: string): Promise<Evidence> {
  const { rows: runs } = await database.query<RunRow>(RUNS);
  const { rows: committed } = await database.query<Committed>(COMMITTED);
  const { rows: told } = await database.query<{ runId: string; seq: number; events: string }>(EVENTS);
  const events = told.flatMap(({ runId, seq, events: text }) =>
    (JSON.parse(text) as EventRow[]).map((event, index) => ({ ...event, runId, seq: seq + index })),
  );
  const ledger = await readFile(join(folder, "ledger"), "utf8").catch(() => "");
  return { runs, committed, events, effects: ledger.split("\n").slice(0, -1).map(readEffect) };
}

function readEffect(line: string): Effect {
  const [role = "", iteration = "", key = "", mark = "", ...payload] = line.split(" ");
  const [runId = "", token = ""] = mark.slice(0, mark.indexOf("@")).split("_");
  return { role, iteration: Number(iteration), key, runId, token: Number(token), payload: payload.join(" ") };
}
