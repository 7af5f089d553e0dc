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

/** An error's message and that of what caused it, which often is the one that helps. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;
}

/** The result of `work`; what goes wrong in it is the user's to mend, so the message is told and not the stack. */
export async function orTell<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof CommandError ? error : new CommandError(reasonOf(error));
  });
}
