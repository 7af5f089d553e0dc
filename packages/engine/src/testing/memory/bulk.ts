import { BULK_MAX_RUNS, bulkStatuses, bulkStepSize } from "../../ports/bulk.ts";
import type { BulkRun, BulkStatus, BulkStore, BulkView, NewBulk } from "../../ports/bulk.ts";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import { comparePositions, keysetPage } from "./pages.ts";
import { matches, summaryOf } from "./reads.ts";
import { audit } from "./tables.ts";
import type { RunRow, Tables } from "./tables.ts";

export type BulkRow = Omit<NewBulk, "target"> & {
  readonly filter: BulkView["filter"];
  status: BulkStatus;
  readonly createdMs: number;
  finishedMs: number | null;
  nextMs: number;
  lease: string | null;
  leaseUntilMs: number;
  readonly items: BulkRun[];
};

const SAMPLE = 10;

function targets(
  tables: Tables,
  { action, buffer, target }: Pick<NewBulk, "action" | "buffer" | "target">,
): RunRow[] {
  const all = [...tables.runs.values()].sort((a, b) =>
    comparePositions([a.createdMs, a.id], [b.createdMs, b.id]),
  );
  if (target.kind === "ids") return all.filter(({ id }) => target.ids.includes(id));
  const statuses = bulkStatuses(action, buffer);
  return all.filter((run) => statuses.includes(run.status) && matches(run, { ...target.filter, limit: 1 }));
}

function viewOf(row: BulkRow): BulkView {
  const { id, action, status, filter, perSecond, items, createdMs, finishedMs, caller } = row;
  const outcomes: Record<string, number> = {};
  for (const { outcome } of items) if (outcome !== null) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    ...{ id, action, status, filter, perSecond, outcomes, actor: caller.actor, total: items.length },
    done: items.filter(({ outcome }) => outcome !== null).length,
    createdAt: iso(createdMs),
    finishedAt: finishedMs === null ? null : iso(finishedMs),
  };
}

function create(tables: Tables, bulk: NewBulk): Awaited<ReturnType<BulkStore["create"]>> {
  const { target, ...rest } = bulk;
  const earlier = [...tables.bulks.values()].find(
    ({ idempotencyKey }) => idempotencyKey !== null && idempotencyKey === bulk.idempotencyKey,
  );
  if (earlier !== undefined)
    return { kind: earlier.requestDigest === bulk.requestDigest ? "existing" : "conflict", id: earlier.id };
  const ids = target.kind === "ids" ? [...new Set(target.ids)] : targets(tables, bulk).map(({ id }) => id);
  if (ids.length > BULK_MAX_RUNS) return { kind: "too_many" };
  const nothing = { outcome: null, message: null, startedId: null };
  tables.bulks.set(bulk.id, {
    ...rest,
    filter: target.kind === "ids" ? null : { ...target.filter },
    status: ids.length === 0 ? "done" : "running",
    createdMs: tables.nowMs(),
    finishedMs: ids.length === 0 ? tables.nowMs() : null,
    ...{ nextMs: tables.nowMs(), lease: null, leaseUntilMs: 0 },
    items: ids.map((runId) => ({ runId, ...nothing })),
  });
  audit(tables, { runId: null, action: "bulk", caller: bulk.caller });
  return { kind: "created" };
}

function take(tables: Tables, lease: string, leaseMs: number): Awaited<ReturnType<BulkStore["take"]>> {
  const now = tables.nowMs();
  const row = [...tables.bulks.values()]
    .filter((one) => one.status === "running" && one.nextMs <= now && one.leaseUntilMs <= now)
    .sort((a, b) => a.nextMs - b.nextMs)[0];
  if (row === undefined) return null;
  const open = row.items.flatMap(({ runId, outcome }, place) => (outcome === null ? [{ place, runId }] : []));
  const items = open.slice(0, bulkStepSize(row.perSecond));
  const paceMs = Math.ceil((1000 * bulkStepSize(row.perSecond)) / row.perSecond);
  Object.assign(row, { lease, leaseUntilMs: now + leaseMs, nextMs: now + paceMs });
  const { id, action, payload, inputs, version, buffer, caller } = row;
  return { id, lease, action, payload, inputs, version, buffer, caller, items, paceMs };
}

function note(tables: Tables, ...[step, results]: Parameters<BulkStore["note"]>): boolean {
  const row = tables.bulks.get(step.id);
  if (row?.lease !== step.lease) return false;
  for (const { place, ...result } of results) Object.assign(row.items[place]!, result);
  Object.assign(row, { lease: null, leaseUntilMs: 0 });
  if (row.status !== "running" || row.items.some(({ outcome }) => outcome === null)) return true;
  Object.assign(row, { status: "done", finishedMs: tables.nowMs() });
  return true;
}

/** `BulkStore` over the tables. */
export function memoryBulk(tables: Tables): BulkStore {
  const there = <T>(answer: () => T): Promise<T> =>
    tables.away
      ? Promise.reject(new StoreUnavailable("the memory store is away"))
      : Promise.resolve(answer());
  return {
    preview: (request) =>
      there(() => {
        const found = targets(tables, request);
        if (found.length > BULK_MAX_RUNS) return "too_many";
        return { count: found.length, sample: found.slice(0, SAMPLE).map((run) => summaryOf(tables, run)) };
      }),
    create: (bulk) => there(() => create(tables, bulk)),
    list: (page) =>
      there(() => {
        const positionOf = (row: BulkRow) => [row.createdMs, row.id];
        const newer = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
          comparePositions(a, b) > 0;
        const rows = [...tables.bulks.values()].sort((a, b) =>
          comparePositions(positionOf(b), positionOf(a)),
        );
        return keysetPage(rows, page, { positionOf, before: newer }, viewOf);
      }),
    get: (id) => there(() => (tables.bulks.has(id) ? viewOf(tables.bulks.get(id)!) : null)),
    runs: (id, { outcome, ...page }) =>
      there(() => {
        const row = tables.bulks.get(id);
        if (row === undefined) return "not_found";
        const rows = row.items.map((item, place) => ({ place, item }));
        const shown = rows.filter(({ item }) => outcome === undefined || item.outcome === outcome);
        const order = {
          positionOf: ({ place }: { readonly place: number }) => [place],
          before: (a: readonly (string | number)[], b: readonly (string | number)[]) => a[0]! < b[0]!,
        };
        return keysetPage(shown, page, order, ({ item }) => ({ ...item }));
      }),
    abort: (id, caller) =>
      there(() => {
        const row = tables.bulks.get(id);
        if (row === undefined) return null;
        if (row.status !== "running") return false;
        Object.assign(row, { status: "aborted", finishedMs: tables.nowMs() });
        audit(tables, { runId: null, action: "bulk_abort", caller });
        return true;
      }),
    take: (lease, leaseMs) => there(() => take(tables, lease, leaseMs)),
    note: (step, results) => there(() => note(tables, step, results)),
  };
}
