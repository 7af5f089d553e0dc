import { Menu, MenuButton, MenuItem, MenuProvider } from "@ariakit/react";
import type { RunAnswer } from "@agentflow/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../api/client.ts";
import { hasEnded } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { useMay } from "../session/session.ts";
import { Modal } from "../ui/modal.tsx";
import { copyText, Problem } from "../ui/parts.tsx";
import { curlText, newKey, resumeBody } from "./requests.ts";
import { ResumeDialog } from "./resume-dialog.tsx";

/** What can be done with a run in its present status. */
export function RunActions({ run }: { readonly run: RunAnswer }) {
  const [dialog, setDialog] = useState<"resume" | "cancel" | null>(null);
  const close = () => setDialog(null);
  const allowed = useMay("run");
  const denied = allowed ? {} : { disabled: true, title: m.session.forbidden("run") };
  return (
    <div className="actions">
      {run.status === "waiting" ? (
        <button type="button" className="primary" {...denied} onClick={() => setDialog("resume")}>
          {m.run.resume}
        </button>
      ) : null}
      {hasEnded(run) ? null : (
        <button type="button" className="danger" {...denied} onClick={() => setDialog("cancel")}>
          {m.run.cancel}
        </button>
      )}
      {hasEnded(run) ? <Rerun run={run} /> : null}
      <CurlMenu run={run} />
      <ResumeDialog
        target={{ id: run.id, nextIteration: resumeGuard(run) }}
        open={dialog === "resume"}
        onClose={close}
      />
      <CancelDialog run={run} open={dialog === "cancel"} onClose={close} />
    </div>
  );
}

/** The iteration at which a resume makes sense: with several parked loops the server is not told any. */
export function resumeGuard({ loops }: Pick<RunAnswer, "loops">): number | null {
  const parked = loops.filter(({ status }) => status === "waiting" || status === "running");
  return parked.length === 1 ? (parked[0]?.nextIteration ?? null) : null;
}

/** Starts a new run with the version and inputs of this one, and shows it. */
function Rerun({ run }: { readonly run: RunAnswer }) {
  const navigate = useNavigate();
  const allowed = useMay("run");
  // One key for one look at the page: a second click, or a try after a lost answer, is the same run.
  const [idempotencyKey] = useState(newKey);
  const rerun = useMutation({
    mutationFn: () => client.rerunRun(run.id, {}, { idempotencyKey }),
    onSuccess: (started) => navigate(`/runs/${started.run.id}`),
  });
  return (
    <>
      <button
        type="button"
        disabled={rerun.isPending || !allowed}
        title={allowed ? undefined : m.session.forbidden("run")}
        onClick={() => rerun.mutate()}
      >
        {m.run.rerun}
      </button>
      {rerun.error === null ? null : <Problem error={rerun.error} />}
    </>
  );
}

function CancelDialog(props: {
  readonly run: RunAnswer;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.cancelRun(props.run.id),
    onSuccess: props.onClose,
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Modal open={props.open} title={m.run.cancelTitle} onClose={props.onClose}>
      <p>{m.run.cancelText}</p>
      {cancel.error === null ? null : <Problem error={cancel.error} />}
      <div className="toolbar">
        <button type="button" className="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {m.run.cancel}
        </button>
        <button type="button" onClick={props.onClose}>
          {m.run.keep}
        </button>
      </div>
    </Modal>
  );
}

function CurlMenu({ run }: { readonly run: RunAnswer }) {
  const [copied, setCopied] = useState(false);
  const { origin } = window.location;
  const path = `/v1/runs/${run.id}`;
  const commands: [string, () => string][] = [[m.run.curlShow, () => curlText(origin, "GET", path)]];
  if (run.status === "waiting")
    commands.push([
      m.run.curlResume,
      () => curlText(origin, "POST", `${path}/resume`, resumeBody("", resumeGuard(run))),
    ]);
  if (!hasEnded(run)) commands.push([m.run.curlCancel, () => curlText(origin, "POST", `${path}/cancel`)]);
  const copy = async (text: string) => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <MenuProvider>
      <MenuButton>
        <span aria-live="polite">{copied ? m.app.copied : m.run.curl}</span>
      </MenuButton>
      <Menu className="menu" gutter={4}>
        {commands.map(([name, text]) => (
          <MenuItem key={name} className="menu-item" onClick={() => void copy(text())}>
            {name}
          </MenuItem>
        ))}
      </Menu>
    </MenuProvider>
  );
}
