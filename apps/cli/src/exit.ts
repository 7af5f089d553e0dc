/** Exit codes (F-29): fine, findings or a failed run, wrong usage, parked. */
export const EXIT = { fine: 0, failed: 1, usage: 2, parked: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command cannot go on, and `message` tells the user all there is to know: shown without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was written wrongly. */
export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}
