import type { Readable } from "node:stream";
import { logText } from "../step/log-text.ts";

/** Quiet turns of the event loop after which an open pipe is taken to be empty. */
const QUIET_TURNS = 2;

/** What one process writes, cut up by calls. Bytes that come between calls belong to nobody and are dropped. */
export type LogTap = {
  /** Starts collecting for a call; past the limit nothing is kept and `onOverflow` is called once. */
  begin(onOverflow: () => void): void;
  /** Waits for what already lies in the pipe, then ends the collecting and gives the text (L-47). */
  finish(): Promise<{ readonly text: string; readonly overflowed: boolean }>;
  /** Resolves when nobody holds the other end any more. */
  readonly end: Promise<void>;
};

export function tapLog(stream: Readable, limitBytes: number): LogTap {
  let chunks: Buffer[] | null = null;
  let size = 0;
  let seen = 0;
  let ended = false;
  let onOverflow = (): void => {};
  const end = new Promise<void>((resolve) => {
    stream.once("close", () => {
      ended = true;
      resolve();
    });
  });
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (chunks === null || size > limitBytes) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size > limitBytes) onOverflow();
  });
  return {
    begin(whenTooMuch) {
      chunks = [];
      size = 0;
      onOverflow = whenTooMuch;
    },
    async finish() {
      for (let quiet = 0; quiet < QUIET_TURNS && !ended;) {
        const before = seen;
        await new Promise((resolve) => setImmediate(resolve));
        quiet = seen === before ? quiet + 1 : 0;
      }
      const overflowed = size > limitBytes;
      const bytes = Buffer.concat(chunks ?? []).subarray(0, limitBytes);
      chunks = null;
      return { text: size === 0 ? "" : logText(bytes, overflowed), overflowed };
    },
    end,
  };
}
