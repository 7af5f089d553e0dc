/** Parts of a statement that has a `gone (id)` of removed runs: they remove everything else stored for them, and payloads from audit rows (S-22). */
export const REMOVE_ROWS_OF_GONE = `
    checkpoints as (
      delete from checkpoint t using gone where t.run_id = gone.id
    ), iterations as (
      delete from iteration t using gone where t.run_id = gone.id
    ), steps as (
      delete from step t using gone where t.run_id = gone.id
    ), events as (
      delete from event t using gone where t.run_id = gone.id
    ), logs as (
      delete from log t using gone where t.run_id = gone.id
    ), attempts as (
      delete from attempt t using gone where t.run_id = gone.id
    ), emptied as (
      update audit a set payload = null from gone where a.run_id = gone.id and a.payload is not null
    )`;
