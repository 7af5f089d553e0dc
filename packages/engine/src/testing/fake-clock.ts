import type { Clock } from "../ports/runtime.ts";

/** A clock that stands still until a test moves it. Wall time starts at 2026-01-01T00:00:00Z, monotonic time at 0; both in ms. */
export class FakeClock implements Clock {
  #wallMs = Date.UTC(2026, 0, 1);
  #monotonicMs = 0;

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Lets the time pass at once: who waits has nothing else to do. */
  async pause(ms: number): Promise<void> {
    this.advance(ms);
  }

  /** Wall time in ms since 1970; what the memory store takes for the database's clock. */
  nowMs(): number {
    return this.#wallMs;
  }

  /** Lets `ms` pass on both clocks. */
  advance(ms: number): void {
    if (ms < 0) throw new Error("time only goes forward; a jump of the wall clock is `jumpWall`");
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Sets the wall clock by `ms`, forward or back, as an operator would; monotonic time does not move (L-35). */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }
}
