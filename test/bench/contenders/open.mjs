/** What can be measured, by name; a module is loaded only when its turn comes, so that a missing peer costs only itself. */
const CONTENDERS = {
  redis: () => import("./ours.mjs"),
  bursts: () => import("./ours.mjs"),
  postgres: () => import("./ours.mjs"),
  dbos: () => import("./dbos.mjs"),
  openworkflow: () => import("./openworkflow.mjs"),
  absurd: () => import("./absurd.mjs"),
  restate: () => import("./restate.mjs"),
  "restate-calls": () => import("./restate.mjs"),
  bullmq: () => import("./bullmq.mjs"),
};

/** Opens a contender: `loops(count, iterations)` runs that many loops side by side, `verify()` checks all that ran since. */
export async function openContender(name, place) {
  const { open } = await CONTENDERS[name]();
  return open(place);
}
