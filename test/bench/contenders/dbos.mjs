import { DBOS } from "@dbos-inc/dbos-sdk";
import { checkState, firstState, nextState, STATE_BYTES } from "./step.mjs";

/** DBOS Transact as its quickstart says: one workflow per loop, one step per iteration. */
export async function open({ databaseUrl }) {
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: databaseUrl, logLevel: "error" });
  const workflow = DBOS.registerWorkflow(
    async (iterations) => {
      let state = firstState(STATE_BYTES);
      for (let i = 0; i < iterations; i++) {
        const before = state;
        state = await DBOS.runStep(async () => nextState(before), { name: "step" });
      }
      return state;
    },
    { name: "loop" },
  );
  await DBOS.launch();
  let ended = [];

  const loop = async (iterations) => {
    const handle = await DBOS.startWorkflow(workflow)(iterations);
    ended.push({ id: handle.workflowID, iterations, state: await handle.getResult() });
  };
  return {
    settings: { systemDatabasePoolSize: "default" },
    loops: (n, iterations) => Promise.all(Array.from({ length: n }, () => loop(iterations))),
    verify: async () => {
      for (const { id, iterations, state } of ended.splice(0)) {
        checkState(state, iterations, STATE_BYTES);
        const steps = await DBOS.listWorkflowSteps(id);
        if (steps.length !== iterations) throw new Error(`${steps.length} steps stored of ${iterations}`);
      }
    },
    close: () => DBOS.shutdown(),
  };
}
