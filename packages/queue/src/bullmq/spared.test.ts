import type { RedisQueueBackend } from "bullmq";
import { beforeEach, expect, test } from "vitest";
import { createActivity } from "./activity.ts";
import { spared } from "./spared.ts";

const JOB = [{ id: "1" }, "1", 0, 0];
const LATER_MS = 1_900_000_000_000;

let calls: string[];
let fetched: unknown[];
let ended: unknown;
let mark: { member: string; score: number } | null;
let backend: RedisQueueBackend;

beforeEach(() => {
  calls = [];
  fetched = [];
  ended = JOB;
  mark = { member: "0", score: 0 };
  const fake = {
    moveToActive: async () => (calls.push("fetch"), fetched),
    moveToCompleted: async () => ({ result: ended, finishedOn: 1 }),
    waitForJob: async () => (calls.push("wait"), mark),
  };
  backend = spared(
    fake as unknown as RedisQueueBackend,
    createActivity(2, () => false),
  );
});
const end = () => backend.moveToCompleted({ id: "1" } as never, undefined, true, "lock", true);

test("a slot that took its next job at the end of one asks nothing for the free slots", async () => {
  await end();
  expect((await backend.moveToActive("lock"))[0]).toBeNull();
  expect(calls).toEqual([]);
  expect(await backend.moveToActive("lock")).toBe(fetched);
  expect(calls).toEqual(["fetch"]);
});

test("a mark is always followed by a question: what it stands for may be anybody's job", async () => {
  fetched = JOB;
  await backend.waitForJob(2);
  await end();
  expect(await backend.moveToActive("lock")).toBe(JOB);
  expect(calls).toEqual(["wait", "fetch"]);
});

test("an end that brought no job leaves the next question as it is", async () => {
  ended = [];
  await end();
  await backend.moveToActive("lock");
  expect(calls).toEqual(["fetch"]);
});

test("S-9: when the next delayed job is due is not forgotten by an answer that was spared", async () => {
  fetched = [null, 0, 0, LATER_MS];
  await backend.moveToActive("lock");
  await end();
  expect((await backend.moveToActive("lock"))[3]).toBe(LATER_MS);
  mark = { member: "1", score: LATER_MS + 1 };
  await backend.waitForJob(2);
  fetched = JOB;
  await backend.moveToActive("lock");
  expect(calls).toEqual(["fetch", "wait", "fetch"]);
});

test("a call in vain while a job is in hand is followed by a rest, a call for a job is not", async () => {
  const activity = createActivity(2, () => true);
  const asked: string[] = [];
  const fake = {
    moveToActive: async () => fetched,
    waitForJob: async () => (asked.push("wait"), mark),
  };
  const one = spared(
    { moveToCompleted: async () => ({}), ...fake } as unknown as RedisQueueBackend,
    activity,
  );
  activity.begin();
  fetched = JOB;
  await one.waitForJob(2);
  await one.moveToActive("lock");
  expect(await one.waitForJob(2)).toBe(mark);
  fetched = [];
  await one.moveToActive("lock");
  // The consumer is paused meanwhile: the rest ends without another question.
  expect(await one.waitForJob(2)).toBeNull();
  expect(asked).toEqual(["wait", "wait"]);
});
