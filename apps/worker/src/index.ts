export { drain, drainLimitMs } from "./drain.ts";
export { CatalogueRefused } from "./resources.ts";
export { QueueRefused, runWorker } from "./run-worker.ts";
export { startSweeper, type Sweeper } from "./sweeper.ts";
export { composeWork, type Work, type WorkOptions } from "./work.ts";
