import type { AuditFilter, AuditView } from "../../ports/audit.ts";
import type { Page } from "../../ports/reads.ts";
import { comparePositions, keysetPage } from "./pages.ts";
import type { Tables } from "./tables.ts";

/** `Reads.audit`; what a row says beyond its columns is not kept here. */
export function audits(tables: Tables, filter: AuditFilter): Page<AuditView> | "invalid_cursor" {
  const { runId, action, actor } = filter;
  const rows = tables.audits
    .map((row, place) => ({ ...row, place }))
    .filter((row) => runId === undefined || row.runId === runId)
    .filter((row) => action === undefined || row.action === action)
    .filter((row) => actor === undefined || row.caller.actor === actor)
    .reverse();
  const order = {
    positionOf: ({ place }: { readonly place: number }) => [-place],
    before: (a: readonly (string | number)[], b: readonly (string | number)[]) => comparePositions(a, b) < 0,
  };
  return keysetPage(rows, filter, order, ({ place, atMs, caller, ...row }) => ({
    id: `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`,
    at: new Date(atMs).toISOString(),
    action: row.action,
    runId: row.runId,
    ...caller,
    details: null,
  }));
}
