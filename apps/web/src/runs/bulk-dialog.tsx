import type { RunSummaryAnswer } from "@agentflow/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { m } from "../messages/index.ts";
import { shortId } from "../ui/format.ts";
import { Modal } from "../ui/modal.tsx";
import { fitting, perform } from "./bulk.ts";
import type { BulkAction, BulkResult } from "./bulk.ts";
import { checkPayload } from "./requests.ts";
import { PayloadField } from "./resume-dialog.tsx";

/** Says how many runs it will touch before it touches one, then what became of each (K-1). */
export function BulkDialog(props: {
  readonly action: BulkAction;
  readonly runs: readonly RunSummaryAnswer[];
  readonly onClose: (isDone: boolean) => void;
}) {
  const { action, runs } = props;
  // What was previewed is what is done, also when the list moves on meanwhile.
  const [targets] = useState(() => fitting(action, runs));
  const [payload, setPayload] = useState("");
  const [ended, setEnded] = useState(0);
  const check = checkPayload(payload);
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: () => perform(targets, actOf(action, check.kind === "empty" ? null : payload), setEnded),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Modal open title={m.bulk.title[action]} onClose={() => props.onClose(work.isSuccess)}>
      <p data-testid="preview">{m.bulk.preview[action](targets.length, runs.length)}</p>
      {action === "resume" ? (
        <PayloadField value={payload} onChange={setPayload} check={check} label={m.bulk.samePayload} />
      ) : null}
      {work.isPending ? <p role="status">{m.bulk.progress(ended, targets.length)}</p> : null}
      {work.data === undefined ? null : <Result result={work.data} />}
      <div className="toolbar">
        {work.isSuccess ? null : (
          <button
            type="button"
            className={action === "cancel" ? "danger" : "primary"}
            disabled={work.isPending || check.kind === "broken"}
            onClick={() => work.mutate()}
          >
            {m.bulk.go[action](targets.length)}
          </button>
        )}
        <button type="button" onClick={() => props.onClose(work.isSuccess)}>
          {m.app.close}
        </button>
      </div>
    </Modal>
  );
}

function actOf(action: BulkAction, payloadText: string | null): (id: string) => Promise<unknown> {
  if (action === "cancel") return (id) => client.cancelRun(id);
  if (action === "rerun") return (id) => client.rerunRun(id);
  return (id) => client.resumeRun(id, payloadText === null ? {} : { payloadText });
}

function Result({ result }: { readonly result: BulkResult }) {
  return (
    <div role="status">
      <p>{m.bulk.result(result.done, result.refused.length)}</p>
      <ul className="refused">
        {result.refused.map(({ id, message }) => (
          <li key={id}>
            <span className="mono">{shortId(id)}</span> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
