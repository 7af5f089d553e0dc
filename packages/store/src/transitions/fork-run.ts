import type { ForkOutcome, NewFork } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { CHECKPOINT_COLUMNS, checkpointValues } from "./checkpoint-row.ts";
import { eventsText } from "./events.ts";
import { FIND_KEY } from "./start-run.ts";

const HISTORY_COLUMNS =
  "path, iteration, attempts, decision, summary, elapsed_ms, idempotency_key, error, committed_at";

/**
 * Stores a queued run with what it takes over from another one: the history up to the iteration it goes on from, without states and
 * under no claim's token; loops and finished steps before its loop. Guard: the Idempotency-Key is new, and all of that history is
 * there. Holds the other run's row against removal and changes nothing of it.
 */
const FORK_RUN = {
  name: "fork_run",
  text: `
    with origin as (
      select id from run where id = $14 for key share
    ), taken as (
      select i.* from iteration i join origin o on o.id = i.run_id
      where i.path = $15 and i.epoch = $16 and i.iteration <= $17
    ), started as (
      insert into run (id, flow, version, flow_version_id, inputs, tags, priority, idempotency_key, request_digest, event_seq,
                       rerun_of, concurrency_key, limited, forked_from, forked_loop, forked_iteration, dispatch_after)
      select $1::uuid, $2, $3::int, $4::uuid, $5, $6::text[], $7::int, $8, $9, $10::bigint,
             $13::uuid, $12, exists (select from flow_limit where flow = $2), o.id, $15, $17::int, now() + interval '2 s'
      from origin o where (select count(*) from taken) = $17::int
      on conflict (idempotency_key) do nothing
      returning id, token
    ), begun as (
      insert into checkpoint (run_id, inherited, ${CHECKPOINT_COLUMNS})
      select s.id, $17::int, $15, $22, $23::int, $24::int, $25, $26, $27, $28, $29::int, $30::bigint, $31::int, $32::bigint, $33, $34,
             (select count(*) from taken where decision = 'continue' and error is null),
             (select count(*) from taken where error is not null), $35::int, $36::int, $37
      from started s
    ), history as (
      insert into iteration (run_id, epoch, token, ${HISTORY_COLUMNS})
      select s.id, $24::int, 0, ${HISTORY_COLUMNS} from started s, taken
    ), loops as (
      insert into checkpoint (run_id, inherited, ${CHECKPOINT_COLUMNS})
      select s.id, c.next_iteration - 1, ${CHECKPOINT_COLUMNS} from started s, checkpoint c
      where c.run_id = $14 and c.path = any($18::text[])
    ), their_history as (
      insert into iteration (run_id, epoch, token, ${HISTORY_COLUMNS})
      select s.id, i.epoch, 0, ${HISTORY_COLUMNS.replaceAll(/\w+/g, "i.$&")}
      from started s, iteration i join checkpoint c on c.run_id = i.run_id and c.path = i.path and c.epoch = i.epoch
      where c.run_id = $14 and c.path = any($18::text[])
    ), steps as (
      insert into step (run_id, loop, epoch, iteration, frame, node, fingerprint, shown, at, outputs, input_tokens, output_tokens)
      select s.id, t.loop, t.epoch, t.iteration, t.frame, t.node, t.fingerprint, t.shown, t.at, t.outputs, t.input_tokens, t.output_tokens
      from started s, (select * from step where run_id = $14 and loop = '' and node = any($19::text[]) order by position) t
    ), told as (
      insert into event (run_id, seq, events) select id, 1, $11 from started where $10::bigint > 0
    ), audited as (
      insert into audit (action, run_id, actor, remote, details)
      select 'fork', $14, $20, $21, json_build_object('fork', id, 'loop', $15::text, 'iteration', $17::int)::text from started
    )
    select token from started`,
};

const FIND_ORIGIN = { name: "find_fork_origin", text: "select 1 from run where id = $1" };

/** Creates the fork, or finds the run that has its Idempotency-Key. */
export async function forkRun(db: Queryable, fork: NewFork): Promise<ForkOutcome> {
  const { run: start, origin } = fork;
  for (let tries = 0; ; tries += 1) {
    const [started] = await run<{ token: number }>(db, FORK_RUN, valuesOf(fork));
    if (started !== undefined)
      return { kind: "created", wake: { runId: start.id, token: started.token, delayMs: 0 } };
    const [earlier] = await run<{ id: string; request_digest: string }>(db, FIND_KEY, [start.idempotencyKey]);
    if (earlier !== undefined) {
      const kind = earlier.request_digest === start.requestDigest ? "existing" : "conflict";
      return { kind, runId: earlier.id };
    }
    // A key that was deleted between the statements is free again; a second miss says that the origin is not what it was.
    if (tries > 0 || (await run(db, FIND_ORIGIN, [origin.runId])).length === 0)
      return { kind: "origin_gone" };
  }
}

function valuesOf(fork: NewFork): unknown[] {
  const { run: start, origin, caller, label, checkpoint, loopsBefore, nodesBefore } = fork;
  const [, ...given] = checkpointValues(origin.path, label, checkpoint);
  // Both counts come from the history that is taken over.
  const loop = given.toSpliced(given.length - 5, 2);
  return [
    ...[start.id, start.flow, start.version, start.flowVersionId, start.inputs, [...start.tags]],
    ...[
      start.priority,
      start.idempotencyKey,
      start.requestDigest,
      start.events.length,
      eventsText(start.events),
    ],
    ...[start.concurrencyKey ?? null, start.rerunOf],
    ...[origin.runId, origin.path, origin.epoch, origin.iteration],
    ...[[...loopsBefore], [...nodesBefore], caller.actor, caller.remote],
    ...loop,
  ];
}
