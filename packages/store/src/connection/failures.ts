import { StoreUnavailable, ValueRefused } from "@agentflow/engine";
import { DrizzleQueryError } from "drizzle-orm";

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/** Server answers that say "not now": shutdown, start, too many connections, a lost race for a lock, a stalled disk. */
const NOT_NOW = /^(08...|57P0[123]|57014|53[0-9A-Z]{3}|40001|40P01|55P03|25P0[234]|25006)$/;

/** Errors that pg raises without a code. */
const PG_TROUBLE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end)/;

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** Whether the database was out of reach or busy, so that the same statement may succeed later. Its outcome is unknown. */
export function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  const code = codeOf(error);
  return (
    UNREACHABLE.has(code) || NOT_NOW.test(code) || (error instanceof Error && PG_TROUBLE.test(error.message))
  );
}

/** A driver's error in the words of the port: `StoreUnavailable`, `ValueRefused` (SQLSTATE class 22), or itself. */
export function translated(thrown: unknown): unknown {
  // Drizzle wraps the driver's error in one that shows the query's values, which belong into no log.
  const error = thrown instanceof DrizzleQueryError ? thrown.cause : thrown;
  if (isOutage(error)) {
    return new StoreUnavailable("the database is out of reach", { cause: error });
  }
  if (/^22...$/.test(codeOf(error))) {
    return new ValueRefused("the database refuses a value", { cause: error });
  }
  return error;
}

/** Runs `work` with its driver errors translated. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}
