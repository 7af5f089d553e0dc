import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { split } from "shlex";

/**
 * Splits AGENTFLOW_SCRIPT_WRAPPER into the arguments put in front of every command, as a shell would, quotes included (S-20). Blank
 * gives none. Throws a sentence for the operator when a quote is open or the program is not found in `path`.
 */
export function parseWrapper(text: string, path: string): readonly string[] {
  let words: readonly string[];
  try {
    words = split(text);
  } catch {
    throw new Error(
      "AGENTFLOW_SCRIPT_WRAPPER cannot be split into words: a quote is open or a backslash ends it.",
    );
  }
  const [program] = words;
  if (program === undefined) return [];
  const candidates = program.includes("/")
    ? [program]
    : path.split(":").map((folder) => join(folder, program));
  const found = candidates.find((candidate) => isAbsolute(candidate) && isProgram(candidate));
  if (found === undefined)
    throw new Error(
      `AGENTFLOW_SCRIPT_WRAPPER names ${JSON.stringify(program)}, which is no program found in PATH or by an absolute path.`,
    );
  return [found, ...words.slice(1)];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
