import type { LoopAnswer } from "@agentflow/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../api/client.ts";
import { pastStateQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { useMay } from "../session/session.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { Modal } from "../ui/modal.tsx";
import { Loading, Problem } from "../ui/parts.tsx";
import { newKey } from "./requests.ts";

type PastProps = { readonly runId: string; readonly loop: LoopAnswer; readonly iteration: number };

/** The state after an iteration, exactly as it was kept, and a new run that goes on from it. */
export function PastState(props: PastProps & { readonly onClose: () => void }) {
  const { runId, loop, iteration, onClose } = props;
  const state = useQuery(pastStateQuery(runId, loop, iteration));
  return (
    <Modal open title={m.run.past.title(iteration)} onClose={onClose}>
      {state.error === null ? null : <Problem error={state.error} />}
      {state.data === undefined && state.error === null ? <Loading /> : null}
      {state.data === undefined ? null : (
        <JsonTree text={state.data} name={`${runId}-state-${iteration}.json`} />
      )}
      <p className="quiet">{m.run.past.hint}</p>
      <div className="toolbar">
        {state.data === undefined ? null : <Fork {...props} />}
        <button type="button" onClick={onClose}>
          {m.run.past.close}
        </button>
      </div>
    </Modal>
  );
}

function Fork({ runId, loop, iteration }: PastProps) {
  const navigate = useNavigate();
  const allowed = useMay("run");
  // One key for one look: a second click, or a try after a lost answer, is the same run.
  const [idempotencyKey] = useState(newKey);
  const fork = useMutation({
    mutationFn: () => client.forkRun(runId, { iteration, loop: loop.path }, { idempotencyKey }),
    onSuccess: (started) => navigate(`/runs/${started.run.id}`),
  });
  return (
    <>
      <button
        type="button"
        className="primary"
        disabled={fork.isPending || !allowed}
        title={allowed ? undefined : m.session.forbidden("run")}
        onClick={() => fork.mutate()}
      >
        {m.run.past.fork}
      </button>
      {fork.error === null ? null : <Problem error={fork.error} />}
    </>
  );
}
