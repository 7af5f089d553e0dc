import { openQueue, type QueueTarget } from "../open-queue.ts";

/** A consumer that takes a job, says so on stdout and never ends; argument: the target as JSON. */
const target = JSON.parse(process.argv[2] ?? "") as QueueTarget;
const queue = await openQueue(target, { onProblem: () => {} });
queue.consume({
  concurrency: 1,
  handle: (job) => {
    process.stdout.write(`${JSON.stringify(job)}\n`);
    return new Promise(() => {});
  },
  onProblem: () => {},
});
