import type { StormReport } from "./storm.ts";

const SHOWN_VIOLATIONS = 20;

/** The storms side by side, one per column, and below them what was violated. */
export function reportText(storms: readonly StormReport[]): string {
  const kinds = [...new Set(storms.flatMap(({ faults }) => [...faults.keys()]))].sort();
  const count = (storm: StormReport, kind: string): number =>
    storm.violations.filter((violation) => violation.kind === kind).length;
  const rows: [string, (storm: StormReport) => string | number][] = [
    ["seed", ({ seed }) => seed],
    ["queue", ({ queue }) => queue],
    ["storm", ({ durationMs }) => `${durationMs / 1000} s`],
    ["runs", ({ runs }) => runs],
    ["iterations", ({ iterations }) => iterations],
    ...kinds.map((kind): [string, (storm: StormReport) => number] => [
      `  ${kind.replaceAll("_", " ")}`,
      ({ faults }) => faults.get(kind) ?? 0,
    ]),
    ["re-executed iterations", ({ reExecuted }) => reExecuted],
    ["lost", (storm) => count(storm, "lost")],
    ["doubled", (storm) => count(storm, "doubled")],
    ["stuck", (storm) => count(storm, "stuck")],
    ["time to recover, median", ({ recoveriesMs }) => milliseconds(quantile(recoveriesMs, 0.5))],
    ["time to recover, p99", ({ recoveriesMs }) => milliseconds(quantile(recoveriesMs, 0.99))],
    ["violations", ({ violations }) => violations.length],
  ];
  const table = rows.map(([name, cell]) =>
    [name.padEnd(26), ...storms.map((storm) => String(cell(storm)).padStart(12))].join(""),
  );
  const texts = storms.flatMap(({ queue, violations }) =>
    violations.slice(0, SHOWN_VIOLATIONS).map(({ kind, text }) => `${queue}: ${kind}: ${text}`),
  );
  return [...table, ...texts].join("\n");
}

/** The value below which this share of rising values lies; null when there are none. */
function quantile(rising: readonly number[], share: number): number | null {
  return rising[Math.min(rising.length - 1, Math.ceil(rising.length * share) - 1)] ?? null;
}

function milliseconds(value: number | null): string {
  return value === null ? "-" : `${value} ms`;
}
