import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { flowsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { Pages } from "../runs/runs-page.tsx";
import { Loading, Problem } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { Time } from "../ui/time.tsx";

/** Every registered flow with its newest version. */
export function FlowsPage() {
  const [parameters] = useSearchParams();
  const flows = useQuery(flowsQuery(parameters.get("cursor") ?? undefined));
  return (
    <>
      <Title text={m.flows.title} />
      <h1>{m.flows.title}</h1>
      {flows.error === null ? null : <Problem error={flows.error} retry={() => void flows.refetch()} />}
      {flows.data === undefined && flows.error === null ? <Loading /> : null}
      {flows.data?.items.length === 0 ? <p className="quiet">{m.flows.none}</p> : null}
      {flows.data === undefined || flows.data.items.length === 0 ? null : (
        <div className="table-frame" tabIndex={0} role="region" aria-label={m.flows.title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{m.flows.name}</th>
                <th scope="col">{m.flows.newest}</th>
                <th scope="col">{m.flows.updated}</th>
                <th scope="col">{m.nav.runs}</th>
              </tr>
            </thead>
            <tbody>
              {flows.data.items.map(({ flow, newestVersion, updatedAt }) => (
                <tr key={flow}>
                  <td>
                    <Link to={`/flows/${flow}`}>{flow}</Link>
                  </td>
                  <td className="number">{newestVersion}</td>
                  <td>
                    <Time at={updatedAt} relative />
                  </td>
                  <td>
                    <Link to={`/runs?flow=${flow}`} aria-label={`${m.flows.runs}: ${flow}`}>
                      {m.nav.runs}
                    </Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Pages parameters={parameters} nextCursor={flows.data.nextCursor} />
        </div>
      )}
    </>
  );
}
