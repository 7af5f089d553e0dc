import type { Facts } from "./facts.ts";

/** How the run ends when nothing goes wrong. */
export type Expected = {
  readonly status: "succeeded" | "failed" | "waiting";
  readonly code?: string;
  /** Completed iterations. */
  readonly iterations: number;
  readonly state: string;
  /** Attempts were taken back (a shutdown, an outage), so there may be more executions than attempts. */
  readonly uncounted?: boolean;
  /** Pauses between iterations and attempts: active time of the loop that stands in no row (O-1, L-35). */
  readonly pausedMs?: number;
};

const LIVE = new Set(["queued", "running"]);

/** Whatever died on the way: what must hold of a run that has come to rest (S-5 to S-9, L-14, L-35, L-37). One sentence per violation. */
export function violations(facts: Facts, expected: Expected): string[] {
  return [
    ...outcome(facts, expected),
    ...history(facts, expected),
    ...effects(facts, expected),
    ...events(facts),
    ...liveness(facts),
    ...leftovers(facts),
  ];
}

function outcome(facts: Facts, expected: Expected): string[] {
  const found: string[] = [];
  if (facts.status !== expected.status) found.push(`status: ${facts.status}, not ${expected.status}`);
  if (facts.code !== (expected.code ?? null))
    found.push(`code: ${facts.code}, not ${expected.code ?? "none"}`);
  if (facts.state !== expected.state) found.push(`state: ${facts.state}, not ${expected.state}`);
  return found;
}

function history(facts: Facts, expected: Expected): string[] {
  const found: string[] = [];
  const numbers = facts.history.map(({ iteration }) => iteration);
  const wanted = Array.from({ length: expected.iterations }, (_, index) => index + 1);
  if (numbers.join() !== wanted.join())
    found.push(`history: iterations [${numbers.join()}], not [${wanted.join()}]`);
  const sum = facts.history.reduce((total, { elapsedMs }) => total + elapsedMs, 0);
  // A run that failed is charged for attempts that have no row.
  const rows = sum + (expected.pausedMs ?? 0);
  const sumHolds = expected.status === "failed" ? facts.elapsedMs >= rows : facts.elapsedMs === rows;
  if (!sumHolds) found.push(`elapsed: ${facts.elapsedMs} ms, but the rows sum up to ${sum} ms`);
  const next = expected.iterations + 1;
  if (facts.checkpointNext !== next || facts.nextIteration !== next)
    found.push(
      `next: run ${facts.nextIteration} and checkpoint ${facts.checkpointNext}, but both must be ${next}`,
    );
  return found;
}

/** The same key in every attempt of an iteration, and no execution that no attempt accounts for. */
function effects({ history: rows, ledger }: Facts, expected: Expected): string[] {
  const found: string[] = [];
  for (const { iteration, attempts, key } of rows) {
    const starts = ledger.filter((line) => line.iteration === iteration && line.role !== "after");
    const keys = new Set(starts.map((line) => line.key));
    if (keys.size !== 1 || !keys.has(key))
      found.push(`keys: iteration ${iteration} is stored under ${key} and ran under ${[...keys].join()}`);
    for (const role of new Set(starts.map((line) => line.role))) {
      const count = starts.filter((line) => line.role === role).length;
      if (expected.uncounted !== true && count > attempts)
        found.push(`executions: ${role} ${iteration} ran ${count} times in ${attempts} attempts`);
    }
  }
  const last = rows.at(-1)?.iteration ?? 0;
  const beyond = ledger.find((line) => line.iteration > last && expected.status !== "failed");
  if (beyond) found.push(`executions: iteration ${beyond.iteration} ran and is not in the history`);
  const afters = ledger.filter(({ role }) => role === "after").length;
  const mayFollow = expected.status === "succeeded";
  if (mayFollow ? afters === 0 : afters > 0)
    found.push(`downstream: ran ${afters} times, though the run is ${expected.status}`);
  return found;
}

/** Numbered without a gap, and each iteration told of once (L-50). */
function events({ events: told, history: rows }: Facts): string[] {
  const found: string[] = [];
  const gap = told.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) found.push(`events: number ${told[gap]?.seq} stands where ${gap + 1} belongs`);
  const done = told.filter(({ type }) => type === "while-iteration-done").map(({ iteration }) => iteration);
  const numbers = rows.map(({ iteration }) => iteration);
  if (done.join() !== numbers.join())
    found.push(`events: iterations [${done.join()}] are told of, [${numbers.join()}] are stored`);
  return found;
}

/** S-9: a live run is held, or somebody will wake it. The sweep is not counted: it is what repairs. */
function liveness({ status, token, leased, due, jobs }: Facts): string[] {
  if (!LIVE.has(status) || leased || due || jobs.some((job) => job.endsWith(`_${token}`))) return [];
  return [`liveness: the run is ${status}, nobody holds it and nothing will wake it`];
}

function leftovers({ status, jobs, processes }: Facts): string[] {
  if (LIVE.has(status)) return [];
  const found: string[] = [];
  if (jobs.length > 0) found.push(`jobs: ${jobs.join()} left over`);
  if (processes.length > 0) found.push(`processes: ${processes.join()} of its steps still run`);
  return found;
}
