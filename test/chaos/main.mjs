// Lets a storm come down on real processes: `pnpm chaos`, `pnpm chaos --seed 42`, `pnpm chaos --minutes 30 --queue redis`.
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";

const HELP = `Usage: pnpm chaos [options]

Without options: the short storm on both queues, of a seed of its own, and the crash tests.

  --seed N                     the same faults and the same load again
  --minutes M                  a long storm, with longer outages
  --queue redis|postgres|both
  --runs N                     workflow runs in the load of each storm
`;
const LARGEST_SEED = 2 ** 31 - 1;

const options = read();
const given = Object.keys(options).length > 0;
const seed = options.seed ?? Math.floor(Math.random() * LARGEST_SEED);
const vitest = await createVitest("test", { project: ["services"], watch: false });
vitest.provide("chaos", { ...options, seed });
await vitest.start(given ? ["test/chaos/storm.test.ts"] : ["test/chaos/", "test/crash/"]);
await vitest.close();

/** What was asked for; leaves with 2 when that makes no sense. */
function read() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: "string" },
        minutes: { type: "string" },
        queue: { type: "string" },
        runs: { type: "string" },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const { queue } = values;
    if (queue !== undefined && !["redis", "postgres", "both"].includes(queue))
      throw new Error(`--queue is redis, postgres or both, not ${queue}`);
    const numbers = [
      ["seed", /^\d{1,10}$/],
      ["minutes", /^\d{1,4}(\.\d+)?$/],
      ["runs", /^[1-9]\d{0,4}$/],
    ].flatMap(([name, legal]) => {
      const text = values[name];
      if (text === undefined) return [];
      if (!legal.test(text) || Number(text) > LARGEST_SEED)
        throw new Error(`--${name} is no number that fits: ${text}`);
      return [[name, Number(text)]];
    });
    return { ...Object.fromEntries(numbers), ...(queue === undefined ? {} : { queue }) };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}
