import type { RunSummaryAnswer } from "@agentflow/contract";
import { Link } from "react-router";
import { m } from "../messages/index.ts";
import { shortId } from "../ui/format.ts";
import { StatusBadge } from "../ui/status.tsx";
import { Span, Time } from "../ui/time.tsx";
import { Tags } from "./facts.tsx";

export type Selection = ReadonlyMap<string, RunSummaryAnswer>;

/** Runs as a table, one line each. */
export function RunsTable(props: {
  readonly runs: readonly RunSummaryAnswer[];
  readonly selected: Selection;
  readonly select: (selected: Selection) => void;
}) {
  const { runs, selected, select } = props;
  const names = m.runs.columns;
  const isAll = runs.every(({ id }) => selected.has(id));
  const toggle = (some: readonly RunSummaryAnswer[], on: boolean) => {
    const next = new Map(selected);
    for (const run of some)
      if (on) next.set(run.id, run);
      else next.delete(run.id);
    select(next);
  };
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={m.runs.title}>
      <table>
        <thead>
          <tr>
            <th>
              <input
                type="checkbox"
                aria-label={m.runs.selectAll}
                checked={isAll}
                onChange={(event) => toggle(runs, event.target.checked)}
              />
            </th>
            <th scope="col">{names.status}</th>
            <th scope="col">{names.flow}</th>
            <th scope="col">{names.run}</th>
            <th scope="col">{names.tags}</th>
            <th scope="col">{names.created}</th>
            <th scope="col">{names.duration}</th>
            <th scope="col">{names.failure}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.id} run={run} selected={selected.has(run.id)} toggle={(on) => toggle([run], on)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  readonly run: RunSummaryAnswer;
  readonly selected: boolean;
  readonly toggle: (on: boolean) => void;
}) {
  const { run, selected } = props;
  return (
    <tr className={selected ? "selected" : undefined} data-run={run.id}>
      <td>
        <input
          type="checkbox"
          aria-label={m.runs.select(run.id)}
          checked={selected}
          onChange={(event) => props.toggle(event.target.checked)}
        />
      </td>
      <td>
        <StatusBadge status={run.status} />
      </td>
      <td>
        <Link to={`/flows/${run.flow}/versions/${run.version}`}>{run.flow}</Link>{" "}
        <span className="quiet">{run.version}</span>
      </td>
      <td>
        <Link to={`/runs/${run.id}`} className="mono" title={run.id}>
          {shortId(run.id)}
        </Link>
      </td>
      <td className="tags">
        <Tags tags={run.tags} />
      </td>
      <td className="nowrap">
        <Time at={run.createdAt} relative />
      </td>
      <td className="nowrap">
        <Span from={run.startedAt} to={run.finishedAt} />
      </td>
      <td className="failure-cell" title={run.failure?.message}>
        {run.failure === null ? null : (
          <>
            <code>{run.failure.code}</code> <span className="quiet">{run.failure.message}</span>
          </>
        )}
      </td>
    </tr>
  );
}
