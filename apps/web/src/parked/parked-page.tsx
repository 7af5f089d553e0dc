import { Disclosure, DisclosureContent, DisclosureProvider } from "@ariakit/react";
import type { RunSummaryAnswer } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { runAsOfQuery, runsQuery } from "../api/queries.ts";
import type { RunsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { BulkBar } from "../runs/bulk-bar.tsx";
import { ResumeForm } from "../runs/resume-dialog.tsx";
import { resumeGuard } from "../runs/run-actions.tsx";
import { Pages } from "../runs/runs-page.tsx";
import type { Selection } from "../runs/runs-table.tsx";
import { waitReason } from "../runs/sentence.ts";
import { useNow } from "../ui/clock.ts";
import { durationText, shortId, spanMs, utcTime } from "../ui/format.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";

const PAGE_SIZE = 25;

/** The inbox of runs that wait for a person, oldest first: why, since when, and resume in place (K-4). */
export function ParkedPage() {
  const [parameters] = useSearchParams();
  const cursor = parameters.get("cursor");
  const query: RunsQuery = {
    status: ["waiting"],
    sort: "created",
    limit: PAGE_SIZE,
    ...(cursor !== null && { cursor }),
  };
  const page = useQuery(runsQuery(query));
  const [selected, setSelected] = useState<Selection>(new Map());
  return (
    <>
      <Title text={m.parked.title} />
      <h1>{m.parked.title}</h1>
      <p className="quiet">{m.parked.intro}</p>
      {page.error === null ? null : <Problem error={page.error} retry={() => void page.refetch()} />}
      {page.data === undefined && page.error === null ? <Loading /> : null}
      {page.data?.items.length === 0 ? <p>{m.parked.none}</p> : null}
      {page.data === undefined || page.data.items.length === 0 ? null : (
        <>
          <BulkBar selected={selected} query={query} select={setSelected} />
          <ul className="inbox">
            {page.data.items.map((run) => (
              <Parked
                key={`${run.id} ${run.updatedAt}`}
                run={run}
                selected={selected.has(run.id)}
                toggle={(on) => {
                  const next = new Map(selected);
                  if (on) next.set(run.id, run);
                  else next.delete(run.id);
                  setSelected(next);
                }}
              />
            ))}
          </ul>
          <Pages parameters={parameters} nextCursor={page.data.nextCursor} />
        </>
      )}
    </>
  );
}

function Parked(props: {
  readonly run: RunSummaryAnswer;
  readonly selected: boolean;
  readonly toggle: (on: boolean) => void;
}) {
  const { id, flow, updatedAt } = props.run;
  const found = useQuery(runAsOfQuery(id, updatedAt));
  const now = useNow();
  return (
    <li className="panel parked" data-run={id}>
      <DisclosureProvider>
        <div className="parked-head">
          <input
            type="checkbox"
            aria-label={m.runs.select(id)}
            checked={props.selected}
            onChange={(event) => props.toggle(event.target.checked)}
          />
          <div className="grow">
            <h2>
              <Link to={`/runs/${id}`}>
                {flow} <span className="mono quiet">{shortId(id)}</span>
              </Link>
            </h2>
            <p className="reason">
              {found.data === undefined ? m.app.loading : waitReason(found.data) || m.parked.noWhy}
            </p>
          </div>
          <span className="quiet nowrap" title={utcTime(updatedAt)}>
            {m.parked.since} {durationText(spanMs(updatedAt, null, now) ?? 0)}
          </span>
          <Disclosure className="primary-outline" aria-label={`${m.run.resume} ${shortId(id)}`}>
            {m.run.resume}
          </Disclosure>
        </div>
        <DisclosureContent unmountOnHide>
          {found.data === undefined ? (
            <Loading />
          ) : (
            <ResumeForm target={{ id, nextIteration: resumeGuard(found.data) }} />
          )}
        </DisclosureContent>
      </DisclosureProvider>
    </li>
  );
}
