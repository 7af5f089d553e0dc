import { problem } from "./problem.ts";
import type { Problem } from "./problem.ts";

/** A call the server refused: the fields of its problem, and the HTTP status also when something else answered. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** From docs/errors.md; null when the answer was no problem of ours, such as a proxy's page. */
  readonly code: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly problem: Problem | null;

  constructor(status: number, found: Problem | null) {
    super(found?.detail ?? `the server answered ${status} without saying why`);
    this.status = status;
    this.code = found?.code ?? null;
    this.details = found?.details ?? {};
    this.problem = found;
  }
}

/** No answer came: nothing listens there, the connection broke, or the time was up. Whether the call counted is not known. */
export class ServerUnreachable extends Error {
  override readonly name = "ServerUnreachable";
}

/** The error an answer with an HTTP status of 400 and above stands for. */
export function errorOf(status: number, text: string): ApiError {
  try {
    const read = problem.safeParse(JSON.parse(text));
    return new ApiError(status, read.success ? read.data : null);
  } catch {
    return new ApiError(status, null);
  }
}
