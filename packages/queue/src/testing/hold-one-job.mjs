import { register } from "tsx/esm/api";

register();
const { openQueue } = await import("../open-queue.ts");

/** A consumer that takes a job, says so on stdout and never ends; argument: the target as JSON. */
const queue = await openQueue(JSON.parse(process.argv[2] ?? ""), { onProblem: () => {} });
queue.consume({
  concurrency: 1,
  handle: (job) => {
    process.stdout.write(`${JSON.stringify(job)}\n`);
    return new Promise(() => {});
  },
  onProblem: () => {},
});
