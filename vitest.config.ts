import { defineConfig } from "vitest/config";

const source = { conditions: ["@agentflow/source"] };

/** `unit` needs nothing but Node; `services` starts real Postgres, Redis and processes. */
export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts"],
          exclude: ["**/*.services.test.ts", "**/node_modules/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "services",
          include: [
            "packages/*/src/**/*.services.test.ts",
            "apps/*/src/**/*.services.test.ts",
            "test/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**"],
          globalSetup: ["./test/support/services.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          // After the unit tests: these wait for processes, and would be slowed by a full machine.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
