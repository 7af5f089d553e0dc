import type { Writable } from "node:stream";

const gathered = new WeakSet<Writable>();

/**
 * From now on what is written to `stream` in one turn of the event loop leaves in one system call, at the end of that turn:
 * on a busy worker a call for each command costs more than the commands.
 */
export function writeOncePerTurn(stream: Writable): void {
  if (gathered.has(stream)) return;
  gathered.add(stream);
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let corked = false;
  const uncork = (): void => {
    corked = false;
    stream.uncork();
  };
  stream.write = (...args: unknown[]) => {
    if (!corked) {
      corked = true;
      stream.cork();
      // Runs after the promises of this turn, so commands that they send are in it.
      process.nextTick(uncork);
    }
    return write(...args);
  };
}
