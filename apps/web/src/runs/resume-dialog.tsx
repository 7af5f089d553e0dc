import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { client } from "../api/client.ts";
import { m } from "../messages/index.ts";
import { Modal } from "../ui/modal.tsx";
import { CopyButton, Problem } from "../ui/parts.tsx";
import { checkPayload, curlText, newKey, resumeBody } from "./requests.ts";
import type { PayloadCheck } from "./requests.ts";

export type ResumeTarget = { readonly id: string; readonly nextIteration: number | null };

/** Resumes a parked run; what was typed is sent as exactly that text. */
export function ResumeDialog(props: {
  readonly target: ResumeTarget;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Modal open={props.open} title={m.resume.title} onClose={props.onClose}>
      <ResumeForm target={props.target} onDone={props.onClose} />
    </Modal>
  );
}

/** The payload editor with its button, in a dialog or in place. */
export function ResumeForm({
  target,
  onDone,
}: {
  readonly target: ResumeTarget;
  readonly onDone?: () => void;
}) {
  const { id, nextIteration } = target;
  const [payload, setPayload] = useState("");
  const check = useMemo(() => checkPayload(payload), [payload]);
  // One key for one form: a second click, or a try after a lost answer, is the same call.
  const [idempotencyKey] = useState(newKey);
  const queries = useQueryClient();
  const resume = useMutation({
    mutationFn: () =>
      client.resumeRun(
        id,
        {
          ...(check.kind === "empty" ? {} : { payloadText: payload }),
          ...(nextIteration !== null && { nextIteration }),
        },
        { idempotencyKey },
      ),
    onSuccess: () => onDone?.(),
    onSettled: () => queries.invalidateQueries(),
  });
  const body = () => resumeBody(payload, nextIteration);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (check.kind !== "broken" && !resume.isPending) resume.mutate();
      }}
    >
      <PayloadField value={payload} onChange={setPayload} check={check} />
      {nextIteration === null ? null : <p className="quiet">{m.resume.guard(nextIteration)}</p>}
      <details>
        <summary>{m.resume.sent}</summary>
        <pre className="text">{check.kind === "broken" ? "" : body()}</pre>
      </details>
      {resume.error === null ? null : <Problem error={resume.error} />}
      {resume.isSuccess ? <p role="status">{m.resume.resumed}</p> : null}
      <div className="toolbar">
        <button type="submit" className="primary" disabled={check.kind === "broken" || resume.isPending}>
          {m.resume.go}
        </button>
        <CopyButton
          label={m.run.curl}
          text={() => curlText(window.location.origin, "POST", `/v1/runs/${id}/resume`, body())}
        />
      </div>
    </form>
  );
}

/** A text area for JSON with its verdict below. */
export function PayloadField(props: {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly check: PayloadCheck;
  readonly label?: string;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{props.label ?? m.resume.payload}</label>
      <textarea
        id={id}
        className="code"
        rows={6}
        spellCheck={false}
        value={props.value}
        aria-describedby={`${id}-check`}
        aria-invalid={props.check.kind === "broken"}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <p id={`${id}-check`} role="status" className={props.check.kind === "broken" ? "bad" : "quiet"}>
        {verdict(props.check)}
      </p>
    </div>
  );
}

function verdict(check: PayloadCheck): string {
  if (check.kind === "empty") return m.resume.empty;
  return check.kind === "valid" ? m.resume.valid(check.type, check.bytes) : check.message;
}
