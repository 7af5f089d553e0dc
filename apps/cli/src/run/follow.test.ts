import { ApiError, ServerUnreachable } from "@agentflow/contract";
import { expect, test } from "vitest";
import { sampleRun } from "../testing/sample-run.ts";
import { follow } from "./follow.ts";

type Step = ReturnType<typeof sampleRun>["status"] | Error;

function clientOf(...steps: Step[]) {
  return {
    getRun: async () => {
      const step = steps.shift();
      if (step instanceof Error) throw step;
      if (step === undefined) throw new Error("asked once too often");
      return sampleRun({ status: step });
    },
  };
}

test.each(["waiting", "succeeded", "failed", "cancelled"] as const)(
  "F-29: a run is followed until it is %s, and every look is shown",
  async (end) => {
    const seen: string[] = [];
    const run = await follow(clientOf("queued", "running", end), "id", ({ status }) => seen.push(status), 0);
    expect(run.status).toBe(end);
    expect(seen).toEqual(["queued", "running", end]);
  },
);

test("a server that is started again is waited for", async () => {
  const outage = [new ServerUnreachable("gone"), new ApiError(503, null)];
  const run = await follow(clientOf("running", ...outage, "succeeded"), "id", () => {}, 0);
  expect(run.status).toBe("succeeded");
});

test("a run that is not there is not waited for", async () => {
  await expect(follow(clientOf(new ApiError(404, null)), "id", () => {}, 0)).rejects.toThrow(ApiError);
});
