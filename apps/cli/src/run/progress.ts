import type { RunAnswer } from "@agentflow/contract";
import { oneLine } from "../console/text.ts";

const PLAIN_EVERY_MS = 2000;
const MAX_COLUMNS = 200;

/** Where progress is shown. */
export type Screen = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
};

export type Progress = {
  show(run: RunAnswer): void;
  /** Leaves the last line standing, with the cursor below it. */
  end(): void;
};

/** Shows a run at work: one line that changes on a terminal, lines at most every 2 s elsewhere (F-29). */
export function createProgress(screen: Screen, nowMs: () => number = () => performance.now()): Progress {
  return screen.isTTY === true ? changingLine(screen) : plainLines(screen, nowMs);
}

function changingLine(screen: Screen): Progress {
  let shown = "";
  return {
    show(run) {
      const line = progressLine(run, Math.min(screen.columns ?? 80, MAX_COLUMNS) - 1);
      if (line === shown) return;
      shown = line;
      // To the first column, the line, and away with the rest of the one before.
      screen.write(`\r${line}\u001b[K`);
    },
    end() {
      if (shown !== "") screen.write("\n");
    },
  };
}

function plainLines(screen: Screen, nowMs: () => number): Progress {
  let shown = { line: "", status: "", atMs: Number.NEGATIVE_INFINITY };
  return {
    show(run) {
      const line = progressLine(run, MAX_COLUMNS);
      const due = run.status !== shown.status || nowMs() - shown.atMs >= PLAIN_EVERY_MS;
      if (!due || line === shown.line) return;
      shown = { line, status: run.status, atMs: nowMs() };
      screen.write(`${line}\n`);
    },
    end() {},
  };
}

/** Flow, status, how far the loop at work is and what it says about itself, at most `width` characters. */
export function progressLine({ flow, status, loops }: RunAnswer, width: number): string {
  const loop = loops.findLast((one) => one.status === "running" || one.status === "waiting") ?? loops.at(-1);
  if (loop === undefined) return oneLine(`${flow}: ${status}`, width);
  const count = `iteration ${loop.iterations} of at most ${loop.maxIterations}`;
  return oneLine(
    [`${flow}: ${status}, ${count}`, loop.summary].filter((part) => part !== "").join(" — "),
    width,
  );
}
