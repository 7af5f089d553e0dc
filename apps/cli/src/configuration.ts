import { describeProblems, readConfig, type Config, type ProcessKind } from "@agentflow/host";
import { usageError } from "./exit.ts";

/** The configuration of one kind of process; all that is wrong with it at once, and exit code 2 (S-28). */
export function readConfigOrFail<K extends ProcessKind>(
  kind: K,
  overrides: Readonly<Record<string, string | undefined>> = {},
): Config<K> {
  const result = readConfig(kind, withoutUnset(overrides));
  if (!result.ok) throw usageError(describeProblems(result.problems));
  return result.config;
}

/** An option that was not given leaves the variable as it is. */
function withoutUnset(overrides: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(overrides).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
