import type { HistoryEntry, LoopStatus, Decision } from "@agentflow/core";
import type { LoopView, Page } from "@agentflow/engine";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { checkpoint, iteration, run } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, storable } from "./given.ts";

/** A loop inside a subflow has a frame: its path begins with one. */
const nested = sql<boolean>`starts_with(${checkpoint.path}, '[[')`;

const ENTRY = {
  iteration: iteration.iteration,
  decision: iteration.decision,
  summary: iteration.summary,
  elapsedMs: iteration.elapsedMs,
  idempotencyKey: iteration.idempotencyKey,
  error: iteration.error,
};

type EntryRow = Omit<HistoryEntry, "decision" | "error"> & { decision: string; error: string | null };

function entryOf({ error, ...row }: EntryRow): HistoryEntry {
  return {
    ...row,
    decision: row.decision as Decision,
    ...(error === null ? {} : { error: JSON.parse(error) }),
  };
}

/** A run's loops in execution order, those of the parent graph first, without states (S-13). */
export async function readLoops(db: Database, runId: string): Promise<LoopView[]> {
  const rows = await db
    .select({
      path: checkpoint.path,
      label: checkpoint.label,
      status: checkpoint.status,
      epoch: checkpoint.epoch,
      decision: checkpoint.decision,
      nextIteration: checkpoint.nextIteration,
      maxIterations: checkpoint.maxIterations,
      timeoutMs: checkpoint.timeoutMs,
      elapsedMs: checkpoint.elapsedMs,
      summary: checkpoint.summary,
      fingerprint: checkpoint.fingerprint,
      usage: { inputTokens: checkpoint.inputTokens, outputTokens: checkpoint.outputTokens },
      recent: sql<EntryRow[] | null>`(
        select json_agg(newest order by newest.iteration) from (
          select iteration, decision, summary, elapsed_ms as "elapsedMs", idempotency_key as "idempotencyKey", error
          from iteration i
          where i.run_id = checkpoint.run_id and i.path = checkpoint.path and i.epoch = checkpoint.epoch
          order by i.iteration desc limit 3
        ) newest)`,
    })
    .from(checkpoint)
    .where(eq(checkpoint.runId, runId))
    .orderBy(nested, asc(checkpoint.position));
  return rows.map(({ recent, ...row }) => ({
    ...row,
    status: row.status as LoopStatus,
    decision: row.decision as Decision | null,
    iterations: row.nextIteration - 1,
    recent: (recent ?? []).map(entryOf),
  }));
}

export type Missing = "no_run" | "no_loop" | "ambiguous_loop";

/** The loop a path names; without a path the only one of the parent graph, else the only one at all. */
export async function findLoop(
  db: Database,
  runId: string,
  path: string | null,
): Promise<{ path: string; epoch: number } | Missing> {
  if (!isId(runId) || (path !== null && !storable(path))) return isId(runId) ? "no_loop" : "no_run";
  const rows = await db
    .select({ path: checkpoint.path, epoch: checkpoint.epoch, nested })
    .from(checkpoint)
    .where(and(eq(checkpoint.runId, runId), path === null ? undefined : eq(checkpoint.path, path)))
    .orderBy(nested)
    .limit(2);
  const [first, second] = rows;
  if (first === undefined) {
    const runs = await db.select({ id: run.id }).from(run).where(eq(run.id, runId));
    return runs.length === 0 ? "no_run" : "no_loop";
  }
  return second !== undefined && second.nested === first.nested ? "ambiguous_loop" : first;
}

/** Exact state text of one loop (L-46). */
export async function readState(
  db: Database,
  runId: string,
  path: string | null,
): Promise<{ text: string } | Missing> {
  const loop = await findLoop(db, runId, path);
  if (typeof loop === "string") return loop;
  const [row] = await db
    .select({ text: checkpoint.state })
    .from(checkpoint)
    .where(and(eq(checkpoint.runId, runId), eq(checkpoint.path, loop.path)));
  return row ?? "no_loop";
}

/** A page of history rows in order; the live epoch unless another is named (L-44). */
export async function readHistoryPage(
  db: Database,
  runId: string,
  query: { path: string | null; epoch: number | null; cursor?: string; limit: number },
): Promise<Page<HistoryEntry> | Missing | "invalid_cursor"> {
  const after = query.cursor === undefined ? ["0"] : decodeCursor(query.cursor, /^\d{1,9}$/);
  if (after === null) return "invalid_cursor";
  const loop = await findLoop(db, runId, query.path);
  if (typeof loop === "string") return loop;
  const rows = await db
    .select(ENTRY)
    .from(iteration)
    .where(
      and(
        eq(iteration.runId, runId),
        eq(iteration.path, loop.path),
        eq(iteration.epoch, query.epoch ?? loop.epoch),
        gt(iteration.iteration, Number(after[0])),
      ),
    )
    .orderBy(asc(iteration.iteration))
    .limit(query.limit + 1);
  return pageOf(rows, query.limit, (row) => [row.iteration], entryOf);
}
