import type { FleetStore } from "@agentflow/engine";
import { openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { readSize, readWorkers } from "./reads/fleet.ts";
import { removeEnded } from "./transitions/remove-ended.ts";
import { signIn, signOff } from "./transitions/workers.ts";

/** Workers, retention and sizes on real Postgres; on connections that no run waits for. */
export function createFleetStore({ side, requests }: Pools): FleetStore {
  const db = openDrizzle(requests);
  return {
    signIn: (worker) => translating(() => signIn(side, worker)),
    signOff: (id) => translating(() => signOff(side, id)),
    workers: () => translating(() => readWorkers(db)),
    removeEnded: (olderThanMs, limit) => translating(() => removeEnded(side, olderThanMs, limit)),
    size: () => translating(() => readSize(db)),
  };
}
