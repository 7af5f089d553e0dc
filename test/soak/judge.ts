/** What was measured of one thing, in order of time, and how much of a rise is still no leak. */
export type Series = {
  readonly name: string;
  readonly unit: "MB" | "";
  readonly values: readonly number[];
  /** The larger of the two counts. */
  readonly allowed: { readonly more: number; readonly percent: number };
};

export type Verdict = {
  readonly name: string;
  readonly unit: Series["unit"];
  /** Medians after the start, and at the end. */
  readonly early: number;
  readonly late: number;
  readonly max: number;
  readonly flat: boolean;
};

/** Samples that show a process filling its caches and pools. */
const WARM_UP = 0.25;
/** Fewer than this say nothing about a trend. */
const MIN_SAMPLES = 9;

/**
 * Whether something stayed as large as it was, warming up left aside: the median of the last third against that of the first. Medians,
 * because one sample may fall into a burst. Throws when there are too few samples to tell.
 */
export function judge({ name, unit, values, allowed }: Series): Verdict {
  if (values.length < MIN_SAMPLES) throw new Error(`${name}: ${values.length} samples are too few to judge`);
  const settled = values.slice(Math.floor(values.length * WARM_UP));
  const third = Math.ceil(settled.length / 3);
  const early = median(settled.slice(0, third));
  const late = median(settled.slice(-third));
  const limit = early + Math.max(allowed.more, (early * allowed.percent) / 100);
  return { name, unit, early, late, max: Math.max(...values), flat: late <= limit };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The verdicts as a table for a person. */
export function table(verdicts: readonly Verdict[]): string {
  const shown = (value: number, unit: string): string =>
    unit === "MB" ? `${(value / 1e6).toFixed(1)} MB` : String(Math.round(value * 100) / 100);
  const rows = verdicts.map(({ name, unit, early, late, max, flat }) => [
    name,
    ...[early, late, max].map((value) => shown(value, unit)),
    flat ? "flat" : "RISES",
  ]);
  const all = [["", "early", "late", "max", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}
