// Prints the closing line of a CI run from Vitest's JSON report and the number of commands that failed.
import { readFileSync } from "node:fs";

const [, , reportFile, failedCommandsText] = process.argv;
const failedCommands = Number(failedCommandsText);

let passed = 0;
let failed = failedCommands;
try {
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  passed = report.numPassedTests;
  // A failed `npm test` is already counted by its tests.
  failed = Math.max(
    failedCommands,
    report.numFailedTests + (report.success ? failedCommands : failedCommands - 1),
  );
} catch {
  failed = Math.max(failed, 1);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
