import type { RequestStore } from "@agentflow/engine";
import { openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { isId, storable } from "./reads/given.ts";
import { readBundle, readFlowVersion, readFlowVersionById, readRunHead } from "./reads/requests.ts";
import { archiveFlow } from "./transitions/archive-flow.ts";
import { cancelRun } from "./transitions/cancel-run.ts";
import { deleteRun } from "./transitions/delete-run.ts";
import { setFlowLimits } from "./transitions/flow-limits.ts";
import { forkRun } from "./transitions/fork-run.ts";
import { withdrawResume } from "./transitions/keep-resume.ts";
import { registerFlow } from "./transitions/register-flow.ts";
import { resetRun } from "./transitions/reset-run.ts";
import { resumeRun } from "./transitions/resume-run.ts";
import { saveLayout } from "./transitions/save-layout.ts";
import { startRun } from "./transitions/start-run.ts";

/** What request handlers ask, on real Postgres. An outage is StoreUnavailable at once: the caller repeats with its key (S-17). */
export function createRequestStore({ requests: pool }: Pools): RequestStore {
  const db = openDrizzle(pool);
  return {
    registerFlow: (version) => translating(() => registerFlow(pool, version)),
    saveLayout: (layout) => translating(() => saveLayout(pool, layout)),
    flowVersion: (flow, version) => translating(() => readFlowVersion(db, flow, version)),
    flowVersionById: (id) => translating(() => readFlowVersionById(db, id)),
    bundle: (digest) => translating(() => readBundle(db, digest)),
    startRun: (run) => translating(() => startRun(pool, run)),
    forkRun: (fork) => translating(() => forkRun(pool, fork)),
    resumeRun: async (request) => {
      if (!isId(request.runId)) return { kind: "not_found" };
      return translating(() => resumeRun(pool, request));
    },
    setFlowLimits: async (flow, limits, caller) =>
      storable(flow) && translating(() => setFlowLimits(pool, flow, limits, caller)),
    withdrawResume: async (runId, caller) => {
      if (!isId(runId)) return { kind: "not_found" };
      return translating(() => withdrawResume(pool, runId, caller));
    },
    cancelRun: async (runId, caller, failure) => {
      if (!isId(runId)) return { kind: "not_found" };
      return translating(() => cancelRun(pool, runId, caller, failure));
    },
    resetRun: async (runId, path, caller) => {
      if (!isId(runId)) return { kind: "not_found" };
      return translating(() => resetRun(pool, runId, path, caller));
    },
    deleteRun: async (runId, caller) => {
      if (!isId(runId)) return { kind: "not_found" };
      return translating(() => deleteRun(pool, runId, caller));
    },
    archiveFlow: async (flow, caller) => {
      if (!storable(flow)) return { kind: "not_found" };
      return translating(() => archiveFlow(pool, flow, caller));
    },
    runHead: (runId) => translating(() => readRunHead(db, runId)),
  };
}
