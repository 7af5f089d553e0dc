import type { flowVersion } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";
import type { z } from "zod";
import { flowQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { CopyButton, Loading, Problem, Section } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { Time } from "../ui/time.tsx";
import { SourceText } from "./source-text.tsx";

type FlowVersion = z.output<typeof flowVersion>;

/** One version of a flow: what it takes and shows, its source with lint's findings, and the way to its runs. */
export function FlowPage() {
  const { name = "", version } = useParams();
  const newest = useQuery(flowQuery(name, null));
  const wanted = version === undefined ? null : Number(version);
  const found = useQuery(flowQuery(name, wanted));
  if (found.data === undefined)
    return found.error === null ? (
      <Loading />
    ) : (
      <>
        <Title text={m.flows.noFlow} />
        <h1>{m.flows.noFlow}</h1>
        <Problem error={found.error} retry={() => void found.refetch()} />
      </>
    );
  return <Version flow={found.data} newest={newest.data?.version ?? found.data.version} />;
}

function Version({ flow, newest }: { readonly flow: FlowVersion; readonly newest: number }) {
  return (
    <>
      <Title text={flow.flow} />
      <header className="page-head">
        <div>
          <h1>{flow.flow}</h1>
          <p className="quiet run-line">
            <span>
              {m.flows.registered} <Time at={flow.createdAt} relative />
            </span>
            <span className="mono" title={flow.digest}>
              {flow.digest.slice(0, 12)}
            </span>
          </p>
        </div>
        <div className="actions">
          <VersionChoice flow={flow} newest={newest} />
          <Link className="button" to={`/runs?flow=${flow.flow}`}>
            {m.flows.runs}
          </Link>
        </div>
      </header>
      <Findings flow={flow} />
      <Contract flow={flow} />
      <Source flow={flow} />
    </>
  );
}

function VersionChoice({ flow, newest }: { readonly flow: FlowVersion; readonly newest: number }) {
  const navigate = useNavigate();
  const versions = Array.from({ length: newest }, (_, at) => newest - at);
  return (
    <label className="inline">
      {m.flows.version}{" "}
      <select
        value={flow.version}
        onChange={(event) => void navigate(`/flows/${flow.flow}/versions/${event.target.value}`)}
      >
        {versions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  );
}

function Findings({ flow }: { readonly flow: FlowVersion }) {
  return (
    <Section title={m.flows.findings} id="findings">
      {flow.warnings.length === 0 ? <p className="quiet">{m.flows.noFindings}</p> : null}
      <ul className="findings">
        {flow.warnings.map((finding, at) => (
          <li key={at}>
            <span className={`badge ${finding.severity}`}>{finding.severity}</span>{" "}
            <code>{finding.code}</code> {finding.message}{" "}
            {finding.line === null ? null : (
              <a href={`#line-${finding.line}`}>{m.flows.line(finding.line)}</a>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Contract({ flow }: { readonly flow: FlowVersion }) {
  const { inputs, outputs } = flow.contract;
  return (
    <Section title={`${m.flows.inputs} · ${m.flows.outputs}`} id="contract">
      <dl className="facts">
        <div>
          <dt>{m.flows.inputs}</dt>
          <dd>
            {inputs.length === 0
              ? m.flows.nothing
              : inputs.map(({ node, type }) => <Pin key={node} name={node} type={type} />)}
          </dd>
        </div>
        <div>
          <dt>{m.flows.outputs}</dt>
          <dd>
            {outputs.length === 0
              ? m.flows.nothing
              : outputs.map(({ node }) => <Pin key={node} name={node} type="" />)}
          </dd>
        </div>
      </dl>
    </Section>
  );
}

function Pin({ name, type }: { readonly name: string; readonly type: string }) {
  return (
    <span className="tag">
      {name} <span className="quiet">{type}</span>
    </span>
  );
}

function Source({ flow }: { readonly flow: FlowVersion }) {
  const { source } = flow;
  return (
    <Section
      title={source === null ? m.flows.ir : m.flows.source}
      id="source"
      aside={source === null ? null : <CopyButton text={() => source} />}
    >
      {source === null ? (
        <JsonTree text={JSON.stringify(flow.ir)} name={`${flow.flow}-${flow.version}.json`} />
      ) : (
        <SourceText text={source} marked={new Set(flow.warnings.map(({ line }) => line))} />
      )}
    </Section>
  );
}
