// `pnpm fuzz [--inputs N] [--seed S]`: the fuzz tests in their long mode, a million inputs by default.
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
for (const [name, value] of Object.entries(values))
  if (!/^\d{1,10}$/.test(value)) throw new Error(`--${name} takes a whole number, not ${value}`);

process.env.FUZZ_INPUTS = values.inputs;
process.env.FUZZ_SEED = values.seed;
process.argv = [process.argv[0], "vitest", "run", "--project", "services", "test/fuzz"];
await import("../../node_modules/vitest/vitest.mjs");
