import type { RunAnswer } from "@agentflow/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { m } from "../messages/index.ts";
import { StatusBadge } from "../ui/status.tsx";
import { Span, Time } from "../ui/time.tsx";

/** Everything else the API knows of a run. */
export function Facts({ run }: { readonly run: RunAnswer }) {
  const names = m.run.facts;
  const rows: [string, ReactNode][] = [
    [names.id, <span className="mono">{run.id}</span>],
    [names.status, <StatusBadge status={run.status} />],
    [names.created, <Time at={run.createdAt} />],
    [names.started, <Time at={run.startedAt} />],
    [names.updated, <Time at={run.updatedAt} />],
    [names.finished, <Time at={run.finishedAt} />],
    [names.due, <Time at={run.dueAt} />],
    [names.duration, <Span from={run.startedAt} to={run.finishedAt} />],
    [names.attempt, run.attempt],
    [names.inDoubt, run.inDoubt ? names.inDoubtYes : names.no],
    [names.lease, run.leaseOwner ?? m.time.never],
    [names.priority, run.priority ?? m.time.never],
    [names.tags, <Tags tags={run.tags} />],
    ...(run.rerunOf === null
      ? []
      : [[m.run.rerunOf, <Link to={`/runs/${run.rerunOf}`}>{run.rerunOf}</Link>] as [string, ReactNode]]),
    ...(run.forkedFrom === null
      ? []
      : [[m.run.forkedFrom, <ForkedFrom from={run.forkedFrom} />] as [string, ReactNode]]),
    [names.tokens, names.tokensOf(run.usage.inputTokens, run.usage.outputTokens)],
  ];
  return (
    <dl className="facts wide">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ForkedFrom({ from }: { readonly from: NonNullable<RunAnswer["forkedFrom"]> }) {
  return (
    <>
      <Link to={`/runs/${from.runId}`}>{from.runId}</Link> {m.run.afterIteration(from.iteration)}
    </>
  );
}

/** Tags lead to the runs that carry them. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return tags.map((tag) => (
    <Link key={tag} className="tag" to={`/runs?${new URLSearchParams({ tag }).toString()}`}>
      {tag}
    </Link>
  ));
}
