// `pnpm soak [--minutes N]`: mixed load on real processes, and a table of what grew; half an hour by default.
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
if (!/^\d{1,4}(\.\d+)?$/.test(values.minutes))
  throw new Error(`--minutes takes a number, not ${values.minutes}`);

process.env.SOAK_MINUTES = values.minutes;
process.argv = [process.argv[0], "vitest", "run", "--project", "services", "test/soak"];
await import("../../node_modules/vitest/vitest.mjs");
