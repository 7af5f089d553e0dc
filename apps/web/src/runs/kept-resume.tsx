import type { RunAnswer } from "@agentflow/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { hasEnded } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { useMay } from "../session/session.ts";
import { Problem } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

/** A resume that is kept for the next wait or for a time, with who asked for it, and how to take it back. */
export function KeptResume({ run }: { readonly run: RunAnswer }) {
  const queries = useQueryClient();
  const allowed = useMay("run");
  const takeBack = useMutation({
    mutationFn: () => client.resumeRun(run.id, { until: null }),
    onSettled: () => queries.invalidateQueries(),
  });
  const kept = run.keptResume;
  if (kept === null || hasEnded(run)) return null;
  return (
    <div className="toolbar kept-resume" data-testid="kept-resume">
      <span>
        {kept.until === null ? (
          m.run.kept.nextWait
        ) : (
          <>
            {m.run.kept.until} <Time at={kept.until} />
          </>
        )}
      </span>
      <span className="quiet">{m.run.kept.by(kept.actor)}</span>
      <button
        type="button"
        disabled={takeBack.isPending || !allowed}
        title={allowed ? undefined : m.session.forbidden("run")}
        onClick={() => takeBack.mutate()}
      >
        {m.run.kept.takeBack}
      </button>
      {takeBack.error === null ? null : <Problem error={takeBack.error} />}
    </div>
  );
}
