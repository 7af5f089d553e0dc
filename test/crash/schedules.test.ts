import { describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { scriptFlow } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const counting = scriptFlow({ done: 2 });

/** A schedule that nobody has dealt with yet, and whose latest tick is due. */
async function dueSchedule(rig: Rig, client: Awaited<ReturnType<Rig["realApi"]>>["client"]) {
  await rig.register(counting);
  const made = await client.createSchedule({ flow: counting.name, cron: "0 0 1 1 *", tags: ["yearly"] });
  const { rows } = await rig.database.query<{ tick: Date }>(
    `update schedule set next_at = next_at - interval '1 year', due_at = now() where id = $1 returning next_at as tick`,
    [made.id],
  );
  return { id: made.id, tick: rows[0]!.tick.toISOString() };
}

describe.each(queueKinds)("runs started by the clock, jobs on %s", (kind) => {
  it("3.4: of several workers one starts the run of a tick, and it ends", async () => {
    const rig = await Rig.open(kind);
    const { client } = await rig.realApi();
    await Promise.all([rig.realWorker({}), rig.realWorker({})]);
    const { id, tick } = await dueSchedule(rig, client);
    await until("the tick is dealt with", async () => (await client.getSchedule(id)).lastTick !== null);
    const { lastRunId, lastOutcome, lastTick, nextAt } = await client.getSchedule(id);
    expect([lastOutcome, Date.parse(lastTick ?? "")]).toEqual(["started", Date.parse(tick)]);
    expect(Date.parse(nextAt ?? "")).toBeGreaterThan(Date.now());
    await rig.reaches(lastRunId ?? "", "succeeded");
    const { items } = await client.listRuns({ tag: `schedule:${id}` });
    expect(items.map((run) => [run.id, run.tags])).toEqual([[lastRunId, ["yearly", `schedule:${id}`]]]);
  });

  it("3.4: the tick of a worker that died after the start is noted by another, without a second run", async () => {
    const rig = await Rig.open(kind);
    const { client } = await rig.realApi();
    const { id, tick } = await dueSchedule(rig, client);
    // What a worker leaves behind that is killed between the start and the note.
    await rig.database.query(
      "update schedule set lease_owner = 'dead', lease_until = now() + interval '2 s' where id = $1",
      [id],
    );
    const tags = ["yearly", `schedule:${id}`];
    const idempotencyKey = `schedule-${id}-${tick}`;
    const { run } = await client.startRun({ flow: counting.name, tags }, { idempotencyKey });
    await rig.realWorker({});
    await until("the tick is dealt with", async () => (await client.getSchedule(id)).lastTick !== null);
    expect(await client.getSchedule(id)).toMatchObject({ lastOutcome: "started", lastRunId: run.id });
    expect((await client.listRuns({})).items.map((one) => one.id)).toEqual([run.id]);
  });
});
