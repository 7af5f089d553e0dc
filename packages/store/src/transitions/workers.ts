import type { WorkerSign } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

const SIGN_IN = {
  name: "worker_sign_in",
  text: `
    with forgotten as (
      delete from worker where beat_at < now() - interval '1 hour' and id <> $1
    )
    insert into worker (id, version, queue, concurrency, draining) values ($1, $2, $3, $4, $5)
    on conflict (id) do update
    set version = excluded.version, queue = excluded.queue, concurrency = excluded.concurrency,
      draining = excluded.draining, beat_at = now(),
      started_at = case when worker.beat_at < now() - interval '1 minute' then now() else worker.started_at end`,
};

const SIGN_OFF = { name: "worker_sign_off", text: "delete from worker where id = $1" };

/** A sign of life; workers silent for an hour are forgotten on the way. */
export async function signIn(db: Queryable, worker: WorkerSign): Promise<void> {
  const { id, version, queue, concurrency, draining } = worker;
  await run(db, SIGN_IN, [id, version, queue, concurrency, draining]);
}

export async function signOff(db: Queryable, id: string): Promise<void> {
  await run(db, SIGN_OFF, [id]);
}
