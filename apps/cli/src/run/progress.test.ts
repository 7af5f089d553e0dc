import { expect, test } from "vitest";
import { sampleLoop, sampleRun } from "../testing/sample-run.ts";
import { createProgress, progressLine } from "./progress.ts";

const at = (iterations: number, status: "running" | "waiting" = "running") =>
  sampleRun({ status, loops: [sampleLoop({ iterations, status })] });

function screen(settings: { isTTY: boolean; columns?: number }) {
  const written: string[] = [];
  return { ...settings, written, write: (text: string) => written.push(text) };
}

test("F-29: on a terminal one line changes, and only when there is news", () => {
  const terminal = screen({ isTTY: true, columns: 60 });
  const progress = createProgress(terminal);
  progress.show(at(1));
  progress.show(at(1));
  progress.show(at(2));
  progress.end();
  expect(terminal.written).toEqual([
    "\rimport: running, iteration 1 of at most 20\u001b[K",
    "\rimport: running, iteration 2 of at most 20\u001b[K",
    "\n",
  ]);
});

test("a line never gets wider than the terminal, so that it can be overwritten", () => {
  const run = sampleRun({ loops: [sampleLoop({ summary: "long ".repeat(100) })] });
  const terminal = screen({ isTTY: true, columns: 40 });
  createProgress(terminal).show(run);
  expect(terminal.written[0]).toHaveLength("\r".length + 39 + "\u001b[K".length);
});

test("F-29: elsewhere there are plain lines, at most one every 2 s and one for every change of status", () => {
  const file = screen({ isTTY: false });
  let nowMs = 0;
  const progress = createProgress(file, () => nowMs);
  progress.show(at(1));
  nowMs = 1999;
  progress.show(at(2));
  nowMs = 2000;
  progress.show(at(3));
  nowMs = 2001;
  progress.show(at(4, "waiting"));
  progress.end();
  expect(file.written).toEqual([
    "import: running, iteration 1 of at most 20\n",
    "import: running, iteration 3 of at most 20\n",
    "import: waiting, iteration 4 of at most 20\n",
  ]);
});

test("S-21: what a flow says about itself cannot write to the terminal", () => {
  const run = sampleRun({ loops: [sampleLoop({ summary: "\u001b[2Jline 1\r\nline 2" })] });
  expect(progressLine(run, 200)).toBe("import: running, iteration 7 of at most 20 — line 1 line 2");
});

test("the loop at work is shown, not one that is done or that has not begun", () => {
  const done = sampleLoop({ status: "done", iterations: 1 });
  const inner = sampleLoop({ iterations: 5 });
  expect(progressLine(sampleRun({ loops: [done, inner, done] }), 200)).toContain("iteration 5");
  expect(progressLine(sampleRun({ loops: [done] }), 200)).toContain("iteration 1 ");
  expect(progressLine(sampleRun({ status: "queued", loops: [] }), 200)).toBe("import: queued");
});
