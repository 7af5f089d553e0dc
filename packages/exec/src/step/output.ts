import type { Readable } from "node:stream";

const FIRST_BUFFER_BYTES = 4096;

/** Bounded collector of one output stream; counts raw bytes (L-25). */
export type Output = {
  /** What came, at most the limit. */
  bytes(): Uint8Array;
  /** One byte more than the limit came. */
  readonly overflowed: boolean;
  /** The stream will say nothing more. */
  readonly ended: boolean;
  /** Resolves when the stream will say nothing more. */
  readonly end: Promise<void>;
  /** Takes what lies in the pipe at this moment, then stops reading. */
  close(): Promise<void>;
};

/** Collects a stream up to `limitBytes`; past that it keeps reading, so that nobody blocks, and throws the rest away. */
export function collectOutput(stream: Readable, limitBytes: number, onOverflow: () => void): Output {
  // One growing buffer: a program that writes a byte at a time would otherwise leave a million chunks.
  let kept = Buffer.alloc(0);
  let size = 0;
  let overflowed = false;
  let ended = false;
  const end = new Promise<void>((resolve) => {
    const finish = (): void => {
      ended = true;
      resolve();
    };
    stream.once("end", finish).once("close", finish);
  });
  // A read error ends the stream with "close"; what came before it counts.
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    if (overflowed) return;
    const taken = Math.min(chunk.length, limitBytes - size);
    if (size + taken > kept.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(limitBytes, Math.max(FIRST_BUFFER_BYTES, 2 * (size + taken))),
      );
      kept.copy(grown, 0, 0, size);
      kept = grown;
    }
    chunk.copy(kept, size, 0, taken);
    size += taken;
    if (taken === chunk.length) return;
    overflowed = true;
    onOverflow();
  });
  return {
    bytes: () => kept.subarray(0, size),
    get overflowed() {
      return overflowed;
    },
    get ended() {
      return ended;
    },
    end,
    async close() {
      // Each turn of the event loop reads once what is there; two turns without news mean an empty pipe.
      for (let quiet = 0; quiet < 2 && !ended;) {
        const before = size;
        await new Promise((resolve) => setImmediate(resolve));
        quiet = size === before ? quiet + 1 : 0;
      }
      stream.destroy();
    },
  };
}
