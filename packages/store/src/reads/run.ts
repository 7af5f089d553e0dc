import type { RunView } from "@agentflow/engine";
import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { keptResume, run, step } from "../schema/index.ts";
import { isId, isoTime, isoTimeOrNull } from "./given.ts";
import { readLoops } from "./loops.ts";
import { SUMMARY, summaryOf } from "./runs.ts";
import { outputsOf } from "./work.ts";

/** A run with its loops and shown results, without states (S-13). All of one moment if `db` is. */
export async function readRun(db: Database, id: string): Promise<RunView | null> {
  if (!isId(id)) return null;
  const [row] = await db
    .select({
      ...SUMMARY,
      inputs: run.inputs,
      usage: { inputTokens: run.inputTokens, outputTokens: run.outputTokens },
      kept: {
        // Never null where there is a row: the whole object is null without one.
        actor: keptResume.actor,
        until: isoTimeOrNull(keptResume.until),
        nextIteration: keptResume.nextIteration,
        keptAt: isoTime(keptResume.keptAt),
      },
    })
    .from(run)
    .leftJoin(keptResume, eq(keptResume.runId, run.id))
    .where(eq(run.id, id));
  if (row === undefined) return null;
  const { inputs, usage, kept, ...summary } = row;
  const loops = await readLoops(db, id);
  return {
    ...summaryOf(summary),
    keptResume: kept,
    usage,
    inputs,
    loops,
    outputs: await readOutputs(db, id),
  };
}

/** The newest result of each node that shows one, in the order of execution. */
async function readOutputs(db: Database, runId: string): Promise<RunView["outputs"]> {
  const rows = await db
    .select({ node: step.node, outputs: step.outputs })
    .from(step)
    .where(and(eq(step.runId, runId), eq(step.shown, true)))
    .orderBy(asc(step.position));
  const newest = new Map<string, string>();
  for (const { node, outputs } of rows) {
    newest.delete(node);
    newest.set(node, [...outputsOf(outputs).values()][0] ?? "");
  }
  return [...newest].map(([node, value]) => ({ node, value }));
}
