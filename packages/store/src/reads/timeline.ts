import type { KeptStates, LoopAddress } from "@agentflow/engine";
import { and, asc, between, count, eq, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { checkpoint, iteration } from "../schema/index.ts";
import { findLoop } from "./loops.ts";
import type { Missing } from "./loops.ts";

/** What is kept of a loop's states between two iterations; the checkpoint's state only if it is the one after `from` (S-13). */
export async function readKeptStates(
  db: Database,
  runId: string,
  asked: LoopAddress,
  { from, to, first }: { readonly from: number; readonly to: number; readonly first: boolean },
): Promise<KeptStates | Missing> {
  const loop = await findLoop(db, runId, asked.path);
  if (typeof loop === "string") return loop;
  const { path } = loop;
  const [live] = await db
    .select({
      epoch: checkpoint.epoch,
      completed: sql<number>`${checkpoint.nextIteration} - 1`,
      state: sql<
        string | null
      >`case when ${checkpoint.nextIteration} - 1 = ${from} then ${checkpoint.state} end`,
    })
    .from(checkpoint)
    .where(and(eq(checkpoint.runId, runId), eq(checkpoint.path, path)));
  if (live === undefined) return "no_loop";
  const epoch = asked.epoch ?? live.epoch;
  const rows = and(eq(iteration.runId, runId), eq(iteration.path, path), eq(iteration.epoch, epoch));
  const kept = () =>
    db.select({ iteration: iteration.iteration, step: sql<Buffer>`${iteration.stateStep}` }).from(iteration);
  const steps = await kept().where(
    and(rows, isNotNull(iteration.stateStep), between(iteration.iteration, from, to)),
  );
  const firsts = first
    ? await kept()
        .where(and(rows, isNotNull(iteration.stateStep)))
        .orderBy(asc(iteration.iteration))
        .limit(1)
    : [];
  const isLive = epoch === live.epoch;
  return {
    path,
    epoch,
    completed: isLive ? live.completed : await rowCount(),
    state: isLive ? live.state : null,
    steps: new Map(steps.map(({ iteration: at, step }) => [at, step])),
    first: firsts[0] ?? null,
  };

  async function rowCount(): Promise<number> {
    const [counted] = await db.select({ rows: count() }).from(iteration).where(rows);
    return counted?.rows ?? 0;
  }
}
