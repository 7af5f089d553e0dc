import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** One run as it was last seen. */
export type Seen = {
  readonly id: string;
  readonly status: string;
  readonly token: number;
  readonly nextIteration: number;
  /** Who holds a live lease. */
  readonly holder: string | null;
};

type Expectation = { readonly sinceMs: number; isMet(): boolean };

const LOOK_MS = 100;
const ENDED = new Set(["succeeded", "failed", "cancelled"]);
const LIVE = new Set(["queued", "running"]);

const LOOK = `
  select id, status, token::int, next_iteration as "nextIteration",
         case when lease_until >= now() then lease_owner end as holder
  from run`;

/** Looks at all runs all the time, from outside: what must never be seen, and how long recovery takes. */
export class Watcher {
  runs: ReadonlyMap<string, Seen> = new Map();
  /** What must never happen and was seen (L-33, S-6). */
  readonly violations: string[] = [];
  readonly recoveriesMs: number[] = [];
  /** When some run last moved, on the clock of performance.now(). */
  movedAtMs = performance.now();
  #expectations: Expectation[] = [];
  #closed = false;
  readonly #looking: Promise<void>;

  constructor(database: pg.Pool) {
    this.#looking = this.#lookOn(database);
  }

  async #lookOn(database: pg.Pool): Promise<void> {
    while (!this.#closed) {
      // While Postgres is away there is nothing to see.
      const rows = await database.query<Seen>(LOOK).then(
        (result) => result.rows,
        () => null,
      );
      if (rows !== null) this.#see(rows);
      await sleep(LOOK_MS);
    }
  }

  #see(rows: readonly Seen[]): void {
    for (const run of rows) {
      const before = this.runs.get(run.id);
      if (before === undefined || before.token !== run.token || before.status !== run.status)
        this.movedAtMs = performance.now();
      if (before === undefined) continue;
      if (run.token < before.token) this.#note(run, `its token fell from ${before.token} to ${run.token}`);
      if (ENDED.has(before.status) && run.status !== before.status)
        this.#note(run, `it was ${before.status} and is ${run.status}`);
      if (run.nextIteration < before.nextIteration)
        this.#note(run, `it went back from iteration ${before.nextIteration} to ${run.nextIteration}`);
    }
    if (rows.length < this.runs.size) this.violations.push("runs have vanished");
    this.runs = new Map(rows.map((run) => [run.id, run]));
    const nowMs = performance.now();
    for (const { sinceMs } of this.#expectations.filter((one) => one.isMet()))
      this.recoveriesMs.push(Math.round(nowMs - sinceMs));
    this.#expectations = this.#expectations.filter((one) => !one.isMet());
  }

  #note({ id }: Seen, what: string): void {
    this.violations.push(`run ${id}: ${what}`);
  }

  get live(): readonly Seen[] {
    return [...this.runs.values()].filter(({ status }) => LIVE.has(status));
  }

  /** From now on it counts how long it takes until each run this worker holds is claimed by somebody again, or over. */
  expectTakeOver(holder: string): void {
    for (const { id, token } of this.live.filter((run) => run.holder === holder))
      this.#expect(() => {
        const run = this.runs.get(id);
        return run === undefined || run.token > token || !LIVE.has(run.status);
      });
  }

  /** From now on it counts how long it takes until any run moves. */
  expectMovement(): void {
    if (this.live.length === 0) return;
    const before = this.#tokens();
    this.#expect(() => this.#tokens() > before);
  }

  #tokens(): number {
    return [...this.runs.values()].reduce((sum, { token }) => sum + token, 0);
  }

  #expect(isMet: () => boolean): void {
    this.#expectations.push({ sinceMs: performance.now(), isMet });
  }

  /** Whether everything has come to rest: nothing live. */
  get isAtRest(): boolean {
    return this.runs.size > 0 && this.live.length === 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#looking;
  }
}
