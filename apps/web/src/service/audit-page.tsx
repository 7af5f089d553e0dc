import type { AuditEntryAnswer, AuditQuery } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { m } from "../messages/index.ts";
import { Pages } from "../runs/runs-page.tsx";
import { shortId } from "../ui/format.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { Time } from "../ui/time.tsx";
import { auditQuery } from "./queries.ts";
import { Heads } from "./workers-page.tsx";

const FILTERS = ["action", "actor", "run"] as const;

/** Who did what, when and from where (S-22); filters and the page are in the address. */
export function AuditPage() {
  const [parameters, setParameters] = useSearchParams();
  const audit = useQuery(auditQuery(queryOf(parameters)));
  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(parameters);
    next.delete("cursor");
    if (value.trim() === "") next.delete(name);
    else next.set(name, value.trim());
    setParameters(next, { replace: true });
  };
  return (
    <>
      <Title text={m.audit.title} />
      <h1>{m.audit.title}</h1>
      <form className="filters" aria-label={m.runs.filters} onSubmit={(event) => event.preventDefault()}>
        {FILTERS.map((name) => (
          <label key={name} className="field">
            {m.audit.columns[name]}
            <input
              type="search"
              value={parameters.get(name) ?? ""}
              onChange={(event) => filter(name, event.target.value)}
            />
          </label>
        ))}
      </form>
      {audit.error === null ? null : <Problem error={audit.error} retry={() => void audit.refetch()} />}
      {audit.data === undefined && audit.error === null ? <Loading /> : null}
      {audit.data?.items.length === 0 ? <p className="quiet">{m.audit.none}</p> : null}
      {audit.data === undefined || audit.data.items.length === 0 ? null : (
        <>
          <Entries entries={audit.data.items} />
          <Pages parameters={parameters} nextCursor={audit.data.nextCursor} />
        </>
      )}
    </>
  );
}

function queryOf(parameters: URLSearchParams): AuditQuery {
  const given = (name: string) => parameters.get(name) ?? undefined;
  return {
    limit: 100,
    action: given("action"),
    actor: given("actor"),
    run: given("run"),
    cursor: given("cursor"),
  };
}

function Entries({ entries }: { readonly entries: readonly AuditEntryAnswer[] }) {
  const { columns } = m.audit;
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={m.audit.title}>
      <table>
        <Heads
          names={[columns.at, columns.action, columns.actor, columns.remote, columns.run, columns.details]}
        />
        <tbody>
          {entries.map(({ id, at, action, actor, remote, runId, details }) => (
            <tr key={id}>
              <td>
                <Time at={at} />
              </td>
              <td>{action}</td>
              <td>{actor}</td>
              <td>{remote === "" ? m.time.never : remote}</td>
              <td>{runId === null ? m.time.never : <Link to={`/runs/${runId}`}>{shortId(runId)}</Link>}</td>
              <td>{details === null ? m.time.never : <code>{JSON.stringify(details)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
