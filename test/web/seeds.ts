import { COUNT } from "./flows.ts";
import type { Service } from "./service.ts";

export type SeededRuns = Readonly<Record<"parked" | "succeeded" | "failed", string>>;

/** One run of the flow `count` in each status that rests, and one that somebody deleted: that is in the audit. */
export async function seedRuns(service: Service): Promise<SeededRuns> {
  await service.client.registerFlow({ name: "count", source: COUNT });
  const succeeded = await service.start("count", { n: 5, wait: 0, why: "plainly" }, ["nightly", "eu"]);
  const failed = await service.start("count", { n: 5, fail: 3, why: "disk is full" });
  const question = "Which of the two invoices is right?";
  const parked = await service.start("count", { n: 4, wait: 3, why: question }, ["nightly"]);
  await service.reaches(succeeded, "succeeded");
  await service.reaches(failed, "failed");
  await service.reaches(parked, "waiting");
  const deleted = await service.start("count", { n: 1, wait: 0, why: "" });
  await service.reaches(deleted, "succeeded");
  await service.client.deleteRun(deleted);
  return { parked, succeeded, failed };
}
