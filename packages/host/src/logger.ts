import { pino, type Logger } from "pino";
import { masker } from "./mask.ts";

export type { Logger };

export type LoggerOptions = {
  /** The process: `api`, `worker`, `cli`. */
  name: string;
  level: string;
  /** Values that must never be seen: API keys, and URLs with their passwords. */
  secrets?: (string | null | undefined)[];
  /** Where lines go; default stderr, because stdout is for data (F-29). */
  write?: (line: string) => void;
};

const PRIVATE = [
  "authorization",
  "cookie",
  "apiKey",
  "password",
  "headers.authorization",
  "headers.cookie",
  "headers['set-cookie']",
];

/**
 * A logger that writes JSON lines to stderr: constant short sentences, values as fields. Credentials are removed twice:
 * by the name of the field, and from the finished line wherever they stand (S-28).
 */
export function createLogger({ name, level, secrets = [], write }: LoggerOptions): Logger {
  const mask = masker(secrets.filter((secret) => typeof secret === "string"));
  const destination = write === undefined ? stderr() : { write };
  return pino(
    {
      name,
      level,
      redact: { paths: PRIVATE.flatMap((path) => [path, `*.${path}`]), censor: "***" },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write: (line: string) => void destination.write(mask(line)) },
  );
}

/** Synchronous, so that the last lines before an exit are not lost. */
function stderr(): { write: (line: string) => unknown } {
  return pino.destination({ dest: 2, sync: true });
}
