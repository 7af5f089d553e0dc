import type { LogEntryAnswer, RunAnswer, RunEventAnswer } from "@agentflow/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { eventsQuery, logsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";

/** Everything that happened to a run, newest first (L-50). */
export function Events({ run }: { readonly run: RunAnswer }) {
  const events = useQuery(eventsQuery(useQueryClient(), run));
  if (events.data === undefined)
    return events.error === null ? (
      <Loading />
    ) : (
      <Problem error={events.error} retry={() => void events.refetch()} />
    );
  const { entries } = events.data;
  if (entries.length === 0) return <p className="quiet">{m.run.noEvents}</p>;
  return (
    <VirtualList
      label={m.run.tabs.events}
      items={entries.toReversed()}
      keyOf={({ seq }) => seq}
      draw={(event) => <EventLine event={event} />}
      className="events"
    />
  );
}

function EventLine({ event }: { readonly event: RunEventAnswer }) {
  const { seq, type, at, ...fields } = event;
  return (
    <>
      <span className="number quiet entry-number">{seq}</span>
      <code>{type}</code>
      <span className="entry-summary quiet">{fieldsText(fields)}</span>
      <span className="nowrap quiet">
        <Time at={at} relative />
      </span>
    </>
  );
}

/** Without the key: it is for steps, not for readers (K-9). */
function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([name]) => name !== "idempotencyKey")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}

/** What the run's commands wrote to stderr, newest first and as text (S-21). */
export function Logs({ run }: { readonly run: RunAnswer }) {
  const logs = useQuery(logsQuery(useQueryClient(), run));
  if (logs.data === undefined)
    return logs.error === null ? (
      <Loading />
    ) : (
      <Problem error={logs.error} retry={() => void logs.refetch()} />
    );
  const { entries } = logs.data;
  if (entries.length === 0) return <p className="quiet">{m.run.noLogs}</p>;
  return (
    <VirtualList
      label={m.run.tabs.logs}
      items={entries.toReversed()}
      keyOf={({ seq }) => seq}
      draw={(entry) => <LogText entry={entry} />}
      className="logs"
    />
  );
}

function LogText({ entry }: { readonly entry: LogEntryAnswer }) {
  const { node, iteration, attempt, at, text } = entry;
  return (
    <>
      <p className="toolbar quiet">
        <span>{m.run.logOf(node, iteration, attempt)}</span>
        <Time at={at} relative />
      </p>
      <pre className="text" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}
