import type { LoopAnswer, RunAnswer } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { stateQuery } from "../api/queries.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { Loading, Problem } from "../ui/parts.tsx";

/** The state of a loop's checkpoint, exactly as it is stored. */
export function StateView({ run, loop }: { readonly run: RunAnswer; readonly loop: LoopAnswer }) {
  const version = `${loop.epoch}.${loop.iterations}.${loop.fingerprint}`;
  const state = useQuery(stateQuery(run.id, loop.path, version));
  if (state.error !== null && state.data === undefined)
    return <Problem error={state.error} retry={() => void state.refetch()} />;
  if (state.data === undefined) return <Loading />;
  return <JsonTree text={state.data} name={`${run.id}-state-${loop.iterations}.json`} />;
}
