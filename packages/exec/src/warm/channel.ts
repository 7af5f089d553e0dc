import type { Duplex } from "node:stream";
import { serialize } from "node:v8";
import type { FunctionCall } from "@agentflow/engine";

/** Kinds of an answer, as child/main.mjs numbers them. */
const KINDS = [null, "text", "json", "threw", "no_function", "not_json"] as const;

/** Length of the body (u32), kind (u8), whether processes were started (u8), unused (u16), resident memory in KiB (u32). */
const HEADER_BYTES = 12;

export type Answer = {
  readonly kind: Exclude<(typeof KINDS)[number], null>;
  readonly body: Uint8Array;
  /** The call, or what an earlier one left running, started processes. */
  readonly startedProcesses: boolean;
  readonly rssBytes: number;
};

/** What an unusable message says about its process: too much in it, or not ours at all. */
export type BadAnswer = "too_large" | "garbled";

/** Sends one call. Strings go as they are, without another round of JSON. */
export function sendCall(channel: Duplex, call: FunctionCall): void {
  send(channel, call);
}

/** Aborts the signal of the call under way. */
export function sendAbort(channel: Duplex, why: "deadline" | "stopped"): void {
  send(channel, { abort: why });
}

function send(channel: Duplex, message: object): void {
  const clone = serialize(message);
  const frame = Buffer.allocUnsafe(4 + clone.length);
  frame.writeUInt32LE(clone.length, 0);
  clone.copy(frame, 4);
  channel.write(frame);
}

/**
 * Hands over each answer that comes. The child is not trusted: a body above `maxBodyBytes` is not read at all, and nothing is
 * read after a bad answer.
 */
export function readAnswers(
  channel: Duplex,
  maxBodyBytes: number,
  on: { readonly answer: (answer: Answer) => void; readonly bad: (why: BadAnswer) => void },
): void {
  let kept: Buffer[] = [];
  let size = 0;
  let wanted = HEADER_BYTES;
  const stop = (why: BadAnswer): void => {
    channel.off("data", onData);
    channel.resume();
    on.bad(why);
  };
  const onData = (chunk: Buffer): void => {
    kept.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const bytes = kept.length === 1 ? kept[0]! : Buffer.concat(kept);
      const bodyBytes = bytes.readUInt32LE(0);
      const kind = KINDS[bytes.readUInt8(4)] ?? null;
      if (kind === null) return stop("garbled");
      if (bodyBytes > maxBodyBytes) return stop("too_large");
      wanted = HEADER_BYTES + bodyBytes;
      kept = [bytes];
      if (size < wanted) return;
      const rest = bytes.subarray(wanted);
      const body = bytes.subarray(HEADER_BYTES, wanted);
      kept = rest.length === 0 ? [] : [rest];
      size = rest.length;
      wanted = HEADER_BYTES;
      const [startedProcesses, rssBytes] = [bytes.readUInt8(5) === 1, bytes.readUInt32LE(8) * 1024];
      on.answer({ kind, body, startedProcesses, rssBytes });
    }
  };
  channel.on("data", onData);
}
