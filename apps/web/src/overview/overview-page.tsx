import { runStatus } from "@agentflow/contract";
import type { Stats } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { Link } from "react-router";
import { runsQuery, statsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { useNow } from "../ui/clock.ts";
import { Loading, Problem, Section } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { AGES, byAge, byCode, byHour } from "./numbers.ts";

const RunsOverTime = lazy(() => import("./runs-over-time.tsx"));

const SAMPLE = 500;
const HOUR_MS = 3_600_000;

/** How the service is doing (K-3). */
export function OverviewPage() {
  const stats = useQuery(statsQuery);
  return (
    <>
      <Title text={m.overview.title} />
      <h1>{m.overview.title}</h1>
      {stats.error === null ? null : <Problem error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data === undefined ? <Loading /> : <Figures stats={stats.data} />}
      <div className="columns">
        <OverTime />
        <ParkedByAge />
        <Failures />
      </div>
    </>
  );
}

function Figures({ stats }: { readonly stats: Stats }) {
  const { queue } = stats;
  return (
    <Section title={m.overview.byStatus} id="by-status">
      <ul className="figures">
        {runStatus.options.map((status) => (
          <li key={status}>
            <Link to={`/runs?status=${status}`} className={`figure status-${status}`}>
              <span className="figure-number">{stats.runs[status]}</span>
              <span>{m.status[status]}</span>
            </Link>
          </li>
        ))}
        <Figure
          name={m.overview.queue}
          value={queue.depth === null ? m.overview.queueDown : String(queue.depth)}
          note={m.overview.queueNote}
          isBad={queue.depth === null}
        />
        {extraFigures(stats).map(([name, value, note]) => (
          <Figure
            key={name}
            name={name}
            value={String(value)}
            note={note}
            isBad={name === m.overview.stuck && value > 0}
          />
        ))}
      </ul>
    </Section>
  );
}

function extraFigures(stats: Stats): [name: string, value: number, note: string][] {
  return [
    [m.overview.rate, stats.iterationsPerMinute, ""],
    [m.overview.workers, stats.workers, m.overview.workersNote],
    [m.overview.stuck, stats.stuck, m.overview.stuckNote],
  ];
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly isBad: boolean;
}) {
  return (
    <li>
      <span className={`figure${props.isBad ? " bad-figure" : ""}`} title={props.note}>
        <span className="figure-number">{props.value}</span>
        <span>{props.name}</span>
      </span>
    </li>
  );
}

function OverTime() {
  const now = useNow();
  const from = Math.floor(now / HOUR_MS) - 23;
  const page = useQuery(runsQuery({ createdAfter: new Date(from * HOUR_MS).toISOString(), limit: SAMPLE }));
  const hours = useMemo(() => byHour(page.data?.items ?? [], (from + 23) * HOUR_MS), [page.data, from]);
  const isEmpty = (page.data?.items.length ?? 0) === 0;
  return (
    <Section title={m.overview.overTime} id="over-time" className="wide">
      {page.data === undefined ? <Loading /> : null}
      {page.data !== undefined && isEmpty ? <p className="quiet">{m.overview.noneStarted}</p> : null}
      {isEmpty ? null : (
        <Suspense fallback={<Loading />}>
          <RunsOverTime hours={hours} />
        </Suspense>
      )}
      {page.data?.nextCursor ? <p className="quiet">{m.overview.overTimeNote(SAMPLE)}</p> : null}
    </Section>
  );
}

function ParkedByAge() {
  const now = useNow();
  const page = useQuery(runsQuery({ status: ["waiting"], sort: "created", limit: SAMPLE }));
  const ages = byAge(page.data?.items ?? [], now);
  return (
    <Section title={m.overview.parkedByAge} id="parked-age" aside={<Link to="/parked">{m.nav.parked}</Link>}>
      {page.data?.items.length === 0 ? <p className="quiet">{m.overview.noneParked}</p> : null}
      <Bars
        tone="waiting"
        rows={AGES.map((age) => ({ name: m.overview.parkedAges[age], count: ages[age] })).filter(
          ({ count }) => count > 0,
        )}
      />
    </Section>
  );
}

function Failures() {
  const page = useQuery(runsQuery({ status: ["failed"], limit: SAMPLE }));
  const codes = byCode(page.data?.items ?? []);
  return (
    <Section title={m.overview.failures} id="failures">
      {page.data?.items.length === 0 ? <p className="quiet">{m.overview.noFailures}</p> : null}
      <Bars
        tone="failed"
        rows={codes.map(([code, count]) => ({ name: code, count, to: `/runs?status=failed&code=${code}` }))}
      />
      {page.data?.nextCursor ? <p className="quiet">{m.overview.newest(SAMPLE)}</p> : null}
    </Section>
  );
}

type Bar = { readonly name: string; readonly count: number; readonly to?: string };

function Bars({ rows, tone }: { readonly rows: readonly Bar[]; readonly tone: string }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ul className="bars">
      {rows.map(({ name, count, to }) => (
        <li key={name}>
          <span className="bar-name">{to === undefined ? name : <Link to={to}>{name}</Link>}</span>
          <span
            aria-hidden="true"
            className={`bar status-${tone}`}
            style={{ width: `${(count / most) * 100}%` }}
          />
          <span className="number">{count}</span>
        </li>
      ))}
    </ul>
  );
}
