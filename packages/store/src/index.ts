export { openPools, type PoolOptions, type Pools } from "./connection/pools.ts";
export { checkServer } from "./check-server.ts";
export { awaitSchema, DatabaseNewer, migrate } from "./migrate.ts";
export { createStore, type Store } from "./store.ts";
export type { Found } from "./transitions/sweep.ts";
