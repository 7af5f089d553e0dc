/** Thrown inside an evaluation only, to leave the walk at once; `evaluate` turns it into a value. */
export class Unevaluable extends Error {}

/** What an evaluation may still spend (E-2): one step for each node, each item of a list and each character made or read. */
export class Budget {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Takes `steps`, before the work they stand for is done. */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unevaluable(`it takes more than ${this.#most} steps`);
  }
}
