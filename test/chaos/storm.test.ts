import { afterAll, describe, expect, inject, it } from "vitest";
import { queueKinds } from "../crash/queue-place.ts";
import { stormOptions } from "./options.ts";
import { reportText } from "./report.ts";
import { storm, type StormReport } from "./storm.ts";

const given = stormOptions(inject("chaos") ?? {});
/** Rest and judgement come on top of the storm. */
const LIMIT_MS = given.durationMs * 2 + 360_000;

describe(`a storm of seed ${given.seed}`, () => {
  const reports: StormReport[] = [];
  afterAll(() => void process.stdout.write(`\n${reportText(reports)}\n\n`));

  it.each(queueKinds.filter((kind) => given.queue === "both" || given.queue === kind))(
    "S-6, S-9, P-61: over scripts, subflows, nested loops, waits and cancels, jobs on %s: nothing lost, doubled or stuck",
    async (queue) => {
      const report = await storm({ ...given, queue });
      reports.push(report);
      expect(report.violations, `again: pnpm chaos --seed ${given.seed} --queue ${queue}`).toEqual([]);
      expect(report.faults.size).toBeGreaterThan(8);
      expect(report.iterations).toBeGreaterThan(given.runs);
    },
    LIMIT_MS,
  );
});
