import type pg from "pg";
import { openPools, type Pools } from "../connection/pools.ts";

export type FaultyPools = {
  readonly pools: Pools;
  /** The next statement of this name on the work pool is stored, but its answer is lost. */
  loseAnswerOf(name: string): void;
  /** The next statement of this name on the work pool never reaches the server. */
  loseRequestOf(name: string): void;
  /** How often statements of this name were sent. */
  sent(name: string): number;
};

/** Real pools whose work connections can be cut at a statement, before or after the server has run it. */
export function faultyPools(url: string): FaultyPools {
  const real = openPools({ url, applicationName: "faulty", maxConnections: 4 });
  const faults: { name: string; after: boolean }[] = [];
  const counts = new Map<string, number>();
  const query = async (config: pg.QueryConfig) => {
    const name = config.name ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const at = faults.findIndex((fault) => fault.name === name);
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0];
    if (fault?.after === false) throw cut();
    const answer = await real.work.query(config);
    if (fault?.after === true) throw cut();
    return answer;
  };
  const work = new Proxy(real.work, {
    get: (pool, key) => (key === "query" ? query : Reflect.get(pool, key)),
  });
  return {
    pools: { ...real, work },
    loseAnswerOf: (name) => faults.push({ name, after: true }),
    loseRequestOf: (name) => faults.push({ name, after: false }),
    sent: (name) => counts.get(name) ?? 0,
  };
}

function cut(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}
