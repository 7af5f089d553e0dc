import type { StoreSizeAnswer, WorkerAnswer } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { statsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { sizeText } from "../ui/format.ts";
import { Loading, Problem, Section } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { Time } from "../ui/time.tsx";
import { sizeQuery, workersQuery } from "./queries.ts";

/** Who works here, what waits for them, and how much is stored (K-3, S-26). */
export function WorkersPage() {
  const workers = useQuery(workersQuery);
  const size = useQuery(sizeQuery);
  return (
    <>
      <Title text={m.workers.title} />
      <h1>{m.workers.title}</h1>
      <Queue />
      {workers.error === null ? null : <Problem error={workers.error} retry={() => void workers.refetch()} />}
      <Section title={m.workers.list} id="workers">
        {workers.data === undefined && workers.error === null ? <Loading /> : null}
        {workers.data?.items.length === 0 ? <p className="quiet">{m.workers.none}</p> : null}
        {workers.data === undefined || workers.data.items.length === 0 ? null : (
          <Workers workers={workers.data.items} />
        )}
      </Section>
      <Section title={m.workers.size} id="size">
        {size.error === null ? null : <Problem error={size.error} retry={() => void size.refetch()} />}
        {size.data === undefined ? null : <Size size={size.data} />}
      </Section>
    </>
  );
}

function Queue() {
  const stats = useQuery(statsQuery).data;
  if (stats === undefined) return null;
  const { depth } = stats.queue;
  return (
    <p className="quiet">
      {depth === null ? m.workers.queueDown : m.workers.queue(depth)} {m.workers.stuck(stats.stuck)}
    </p>
  );
}

function Workers({ workers }: { readonly workers: readonly WorkerAnswer[] }) {
  const { columns } = m.workers;
  const heads = [
    columns.worker,
    columns.state,
    columns.holding,
    columns.queue,
    columns.version,
    columns.started,
    columns.seen,
  ];
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={m.workers.title}>
      <table>
        <Heads names={heads} />
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.id}>
              <td>
                <code>{worker.id}</code>
              </td>
              <td>{stateOf(worker)}</td>
              <td className="number">{m.workers.holding(worker.holding, worker.concurrency)}</td>
              <td>{worker.queue}</td>
              <td>{worker.version}</td>
              <td>
                <Time at={worker.startedAt} relative />
              </td>
              <td>
                <Time at={worker.lastSeenAt} relative />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function stateOf({ alive, draining }: WorkerAnswer): string {
  if (!alive) return m.workers.silent;
  return draining ? m.workers.draining : m.workers.alive;
}

function Size({ size }: { readonly size: StoreSizeAnswer }) {
  const { columns } = m.workers;
  return (
    <>
      <p>{m.workers.total(sizeText(size.databaseBytes))}</p>
      <div className="table-frame" tabIndex={0} role="region" aria-label={m.workers.columns.table}>
        <table>
          <Heads names={[columns.table, columns.bytes, columns.rows, columns.dead]} />
          <tbody>
            {size.tables.map(({ table, bytes, rows, deadRows }) => (
              <tr key={table}>
                <td>
                  <code>{table}</code>
                </td>
                <td className="number">{sizeText(bytes)}</td>
                <td className="number">{rows}</td>
                <td className="number">{deadRows}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The head of a table. */
export function Heads({ names }: { readonly names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
