import { Tab, TabList, TabPanel, TabProvider } from "@ariakit/react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearchParams } from "react-router";
import { explainQuery, runQuery } from "../api/queries.ts";
import type { ShownRun } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { useNow } from "../ui/clock.ts";
import { CopyButton, Loading, Problem, Section } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { StatusBadge } from "../ui/status.tsx";
import { Span, Time } from "../ui/time.tsx";
import { Facts } from "./facts.tsx";
import { FailurePanel } from "./failure.tsx";
import { KeptResume } from "./kept-resume.tsx";
import { LoopCard } from "./loop-card.tsx";
import { Events, Logs } from "./observed.tsx";
import { RunActions } from "./run-actions.tsx";
import { activeLoop, sentenceOf } from "./sentence.ts";
import { StateView } from "./state-view.tsx";
import { Timeline } from "./timeline.tsx";
import { Inputs, Outputs } from "./values.tsx";

const TABS = ["iterations", "state", "outputs", "logs", "events", "inputs", "facts"] as const;
type TabName = (typeof TABS)[number];

/** One run: what it does now, its loops and what they did, and what can be done with it (K-2). */
export function RunPage() {
  const { id = "" } = useParams();
  const found = useQuery(runQuery(id));
  if (found.data === undefined)
    return found.error === null ? (
      <Loading />
    ) : (
      <>
        <Title text={m.run.noRun} />
        <h1>{m.run.noRun}</h1>
        <Problem error={found.error} retry={() => void found.refetch()} />
      </>
    );
  return <ShownRunPage shown={found.data} />;
}

function ShownRunPage({ shown }: { readonly shown: ShownRun }) {
  const { run } = shown;
  return (
    <>
      <Title text={`${m.status[run.status]} · ${run.flow}`} />
      <header className="page-head">
        <div>
          <h1>
            <Link to={`/flows/${run.flow}/versions/${run.version}`}>{run.flow}</Link>
            <StatusBadge status={run.status} />
          </h1>
          <p className="quiet run-line">
            <span>{m.run.version(run.version)}</span>
            <span className="mono">{run.id}</span>
            <CopyButton text={() => run.id} />
            <span>
              {m.run.created} <Time at={run.createdAt} relative />
            </span>
            {run.startedAt === null ? null : (
              <span>
                {run.finishedAt === null ? m.run.startedFor : m.run.took}{" "}
                <Span from={run.startedAt} to={run.finishedAt} />
              </span>
            )}
          </p>
        </div>
        <RunActions run={run} />
      </header>
      <Sentence shown={shown} />
      <KeptResume run={run} />
      <FailurePanel run={run} />
      <Loops shown={shown} />
    </>
  );
}

function Sentence({ shown }: { readonly shown: ShownRun }) {
  const now = useNow();
  const explained = useQuery(explainQuery(shown.run));
  // The server's words once they are there and about this status; ours until then.
  const isFresh = explained.data?.status === shown.run.status;
  return (
    <p className="sentence" aria-live="polite" data-testid="sentence">
      {isFresh ? explained.data?.sentence : sentenceOf(shown.run, now)}
    </p>
  );
}

function Loops({ shown }: { readonly shown: ShownRun }) {
  const { run } = shown;
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get("loop");
  const selected =
    run.loops.find(({ path }) => path === wanted) ?? activeLoop(run) ?? run.loops.at(-1) ?? null;
  const select = (path: string) =>
    setParameters(
      (before) => {
        before.set("loop", path);
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <Section title={m.run.loops} id="loops">
        {run.loops.length === 0 ? <p className="quiet">{m.run.noLoops}</p> : null}
        <div className="loops">
          {run.loops.map((loop) => (
            <LoopCard
              key={loop.path}
              loop={loop}
              selected={run.loops.length > 1 && loop === selected}
              onSelect={() => select(loop.path)}
            />
          ))}
        </div>
      </Section>
      <Tabs shown={shown} loop={selected} />
    </>
  );
}

function Tabs({
  shown,
  loop,
}: {
  readonly shown: ShownRun;
  readonly loop: ShownRun["run"]["loops"][number] | null;
}) {
  const { run, text } = shown;
  const [parameters, setParameters] = useSearchParams();
  const tab: TabName = TABS.find((one) => one === parameters.get("tab")) ?? "iterations";
  const select = (id: string | null | undefined) =>
    setParameters(
      (before) => {
        before.set("tab", id ?? "iterations");
        return before;
      },
      { replace: true },
    );
  const panels: Record<TabName, React.ReactNode> = {
    iterations:
      loop === null ? (
        <p className="quiet">{m.run.noLoops}</p>
      ) : (
        <Timeline key={`${run.id} ${loop.path} ${loop.epoch}`} runId={run.id} loop={loop} />
      ),
    state:
      loop === null ? (
        <p className="quiet">{m.run.noLoops}</p>
      ) : (
        <StateView key={loop.path} run={run} loop={loop} />
      ),
    outputs: <Outputs run={run} />,
    logs: <Logs run={run} />,
    events: <Events run={run} />,
    inputs: <Inputs text={text} />,
    facts: <Facts run={run} />,
  };
  return (
    <div className="panel">
      <TabProvider selectedId={tab} setSelectedId={select}>
        <TabList className="tabs" aria-label={m.run.title(run.flow)}>
          {TABS.map((name) => (
            <Tab key={name} id={name}>
              {m.run.tabs[name]}
            </Tab>
          ))}
        </TabList>
        <TabPanel tabId={tab} className="tab-panel">
          {panels[tab]}
        </TabPanel>
      </TabProvider>
    </div>
  );
}
