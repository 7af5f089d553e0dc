import type { NewLayout } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** Guard: the version is the newest of its flow and has the layout the caller saw. Locks the version's row only. */
const SAVE_LAYOUT = {
  name: "save_layout",
  text: `
    update flow_version
    set layout = $3
    where flow = $1 and version = $2
      and not exists (select from flow_version newer where newer.flow = $1 and newer.version > $2)
      and ($4 or layout is not distinct from $5)
    returning id`,
};

/** One statement; false when it found another layout or a newer version. Of two at once with the same base one wins (P-72). */
export async function saveLayout(db: Queryable, given: NewLayout): Promise<boolean> {
  const { flow, version, layout, before } = given;
  const rows = await run(db, SAVE_LAYOUT, [flow, version, layout, before === null, before?.layout ?? null]);
  return rows.length > 0;
}
