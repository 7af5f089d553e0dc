import type { LoopAnswer, RunAnswer, RunSummaryAnswer } from "@agentflow/contract";
import { oneLine, table } from "../console/text.ts";
import { EXIT, type ExitCode } from "../exit.ts";

const SUMMARY_COLUMNS = 400;

/** What the state of a run means for the exit code of a command that waited for it (F-29). */
export function exitCodeOf({ status }: Pick<RunAnswer, "status">): ExitCode {
  if (status === "waiting") return EXIT.parked;
  return status === "failed" || status === "cancelled" ? EXIT.failed : EXIT.fine;
}

/** A run for people. */
export function runText(run: RunAnswer): string {
  const rows = [
    ["run", run.id],
    ["flow", `${run.flow} version ${run.version}`],
    ["status", run.inDoubt ? `${run.status} (an iteration is in doubt)` : run.status],
    ["created", run.createdAt],
    ...(run.startedAt === null ? [] : [["started", run.startedAt]]),
    ...(run.finishedAt === null ? [] : [["finished", run.finishedAt]]),
    ...(run.dueAt === null ? [] : [["due", run.dueAt]]),
    ...(run.tags.length === 0 ? [] : [["tags", run.tags.join(", ")]]),
    ...failureRows(run),
    ...run.loops.flatMap(loopRows),
  ];
  const outputs = Object.entries(run.outputs).map(([node, value]) => `\n${node}\n${indented(value)}`);
  return [table(rows), ...outputs].join("\n");
}

function failureRows({ failure }: RunAnswer): string[][] {
  if (failure === null) return [];
  const { code, message, node, iteration, details } = failure;
  const place = [node === null ? null : `node ${node}`, iteration === null ? null : `iteration ${iteration}`];
  const where = place.filter((part) => part !== null).join(", ");
  const stderr = details["stderrTail"];
  return [
    ["failure", `${code}${where === "" ? "" : ` (${where})`}: ${oneLine(message, SUMMARY_COLUMNS)}`],
    ...(typeof stderr === "string" && stderr.trim() !== ""
      ? [["stderr", oneLine(stderr, SUMMARY_COLUMNS)]]
      : []),
  ];
}

function loopRows(loop: LoopAnswer): string[][] {
  const { label, path, decision, iterations, maxIterations, elapsedMs, summary } = loop;
  const seconds = (elapsedMs / 1000).toFixed(1);
  return [
    ["loop", oneLine(label === "" ? path : label, 100)],
    [
      "",
      `${decision ?? "not decided"} after ${iterations} of at most ${maxIterations} iterations, ${seconds} s active`,
    ],
    ...(summary === "" ? [] : [["", oneLine(summary, SUMMARY_COLUMNS)]]),
  ];
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

/** A page of runs for people, one per line. */
export function runTable(runs: readonly RunSummaryAnswer[]): string {
  if (runs.length === 0) return "no runs";
  const rows = runs.map(({ id, status, flow, version, createdAt, failure }) => [
    id,
    status,
    `${flow}@${version}`,
    createdAt,
    failure?.code ?? "",
  ]);
  return table([["RUN", "STATUS", "FLOW", "CREATED", "FAILURE"], ...rows]);
}
