import type { HistoryEntryAnswer, LoopAnswer } from "@agentflow/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { historyQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { durationText } from "../ui/format.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { DecisionBadge } from "../ui/status.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { PastState } from "./past-state.tsx";

/** All completed iterations of a loop; only those in view are drawn (K-6: 2,000 entries stay usable). */
export function Timeline({ runId, loop }: { readonly runId: string; readonly loop: LoopAnswer }) {
  const history = useQuery(historyQuery(useQueryClient(), runId, loop));
  const [newestFirst, setNewestFirst] = useState(true);
  const [onlyProblems, setOnlyProblems] = useState(false);
  const [past, setPast] = useState<number | null>(null);
  const entries = history.data?.entries;
  const shown = useMemo(() => {
    const kept = (entries ?? []).filter((entry) => !onlyProblems || isProblem(entry));
    return newestFirst ? kept.toReversed() : kept;
  }, [entries, newestFirst, onlyProblems]);
  if (history.error !== null && entries === undefined)
    return <Problem error={history.error} retry={() => void history.refetch()} />;
  if (entries === undefined) return <Loading />;
  if (entries.length === 0) return <p className="quiet">{m.run.noIterations}</p>;
  return (
    <>
      <div className="toolbar">
        <span className="quiet" role="status">
          {m.run.entries(entries.length)}
        </span>
        <span className="grow" />
        <Check label={m.run.newestFirst} value={newestFirst} onChange={setNewestFirst} />
        <Check label={m.run.onlyProblems} value={onlyProblems} onChange={setOnlyProblems} />
      </div>
      <VirtualList
        label={m.run.tabs.iterations}
        items={shown}
        keyOf={({ iteration }) => iteration}
        draw={(entry) => <Entry entry={entry} onState={() => setPast(entry.iteration)} />}
      />
      {past === null ? null : (
        <PastState runId={runId} loop={loop} iteration={past} onClose={() => setPast(null)} />
      )}
    </>
  );
}

function isProblem({ decision, error }: HistoryEntryAnswer): boolean {
  return decision === "fail" || error !== undefined;
}

function Check(props: {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={props.value}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      {props.label}
    </label>
  );
}

function Entry(props: { readonly entry: HistoryEntryAnswer; readonly onState: () => void }) {
  const { entry, onState } = props;
  const { iteration, decision, summary, elapsedMs, error } = entry;
  return (
    <>
      <span className="number quiet entry-number">{iteration}</span>
      <DecisionBadge decision={decision} />
      <span className="entry-summary">
        {summary}
        {error === undefined ? null : (
          <span className="bad">
            <code>{error.code}</code> {error.message}
          </span>
        )}
      </span>
      <span className="number quiet">{durationText(elapsedMs)}</span>
      <button type="button" className="plain" aria-label={m.run.past.open(iteration)} onClick={onState}>
        {m.run.past.word}
      </button>
    </>
  );
}
