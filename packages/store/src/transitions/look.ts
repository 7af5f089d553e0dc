import { run, type Queryable } from "../connection/transaction.ts";

/** Why a claim was refused; changes nothing. */
const LOOK = {
  name: "look",
  text: `
    select token = $2 and status in ('queued', 'running') as current, coalesce(lease_until >= now(), false) as leased, limited
    from run where id = $1`,
};

/** `free`: a claim with this token may succeed; `limited`: it may, if the limits of the flow have room; `held`: somebody's lease is live; `stale`: the token is not current. */
export async function look(
  db: Queryable,
  runId: string,
  token: number,
): Promise<"free" | "limited" | "held" | "stale"> {
  const [row] = await run<{ current: boolean; leased: boolean; limited: boolean }>(db, LOOK, [runId, token]);
  if (row === undefined || !row.current) return "stale";
  if (row.leased) return "held";
  return row.limited ? "limited" : "free";
}

/** Guard of a repeated write: it was ours and nothing came after it. */
const WAS_LAST_WRITE = {
  name: "was_last_write",
  text: "select 1 from run where id = $1 and last_write = $2",
};

/** Whether a write whose answer was lost is stored, asked while its run cannot have been written by others (C3). */
export async function wasLastWrite(db: Queryable, runId: string, write: string): Promise<boolean> {
  return (await run(db, WAS_LAST_WRITE, [runId, write])).length === 1;
}
