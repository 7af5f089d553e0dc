import { Worker } from "node:worker_threads";

const SHOWN_BYTES = 64 * 1024;

/** A thread that ends this process, and says at which input, when one takes too long: a loop that hangs cannot be interrupted from within. */
const PROGRAM = `
const { workerData: { shared, limitMs } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const counter = new Int32Array(shared, 0, 2);
const text = Buffer.from(shared, 8);
let last = -1, since = 0;
setInterval(() => {
  const now = Atomics.load(counter, 0);
  // Even: between two inputs.
  if (now % 2 === 0 || now !== last) { last = now; since = Date.now(); return; }
  if (Date.now() - since < limitMs) return;
  const input = text.subarray(0, Atomics.load(counter, 1)).toString("utf8");
  writeSync(2, "an input took longer than " + limitMs + " ms: " + JSON.stringify(input) + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 250);
`;

export type Watchdog = {
  enters(door: string, text: string): void;
  leaves(): void;
  stop(): Promise<void>;
};

export function startWatchdog(limitMs: number): Watchdog {
  const shared = new SharedArrayBuffer(8 + SHOWN_BYTES);
  const counter = new Int32Array(shared, 0, 2);
  const shown = Buffer.from(shared, 8);
  const worker = new Worker(PROGRAM, { eval: true, workerData: { shared, limitMs } });
  return {
    enters(door, text) {
      Atomics.store(counter, 1, shown.write(`${door}: ${text}`));
      Atomics.add(counter, 0, 1);
    },
    leaves: () => void Atomics.add(counter, 0, 1),
    stop: async () => void (await worker.terminate()),
  };
}
