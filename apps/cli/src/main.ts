import { ApiError, ServerUnreachable } from "@agentflow/contract";
import { CommanderError } from "commander";
import { sayJson, tell } from "./console/out.ts";
import { CommandError, EXIT } from "./exit.ts";
import { createProgram } from "./program.ts";

/** Runs one command and leaves its exit code in the process (F-29). */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.stderr.on("error", () => {});
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = exitCodeOf(error, args.includes("--json"));
  }
}

/** Tells what went wrong and gives the exit code for it. */
function exitCodeOf(error: unknown, json: boolean): number {
  // The parser has written its message or the help already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  if (error instanceof CommandError) {
    tell(`agentflow: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    if (json && error.problem !== null) sayJson(error.problem);
    else tell(refusalText(error));
    return EXIT.failed;
  }
  if (error instanceof ServerUnreachable) {
    tell(`agentflow: ${error.message}; is it running? Start one with \`agentflow dev\` or set AGENTFLOW_URL`);
    return EXIT.failed;
  }
  tell(`agentflow: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failed;
}

function refusalText({ message, code, problem }: ApiError): string {
  const advice = problem === null ? [] : [problem.advice];
  return [`agentflow: ${message}${code === null ? "" : ` (${code})`}`, ...advice].join("\n");
}
