import type { RunAnswer } from "@agentflow/contract";

const DEFAULT_URL = "http://127.0.0.1:4700";

/** What a person needs to look at a parked run and to go on with it. */
export function parkedText(url: string, run: RunAnswer, payload: string): string {
  const { summary = "" } = run.loops.findLast(({ status }) => status === "waiting") ?? {};
  const server = url === DEFAULT_URL ? "" : `AGENTFLOW_URL=${url} `;
  return [
    "",
    `Run ${run.id} is parked: nothing of it is in memory, and it waits for a person.`,
    "",
    ...(summary === "" ? [] : [summary, ""]),
    `  the run        ${url}/runs/${run.id}`,
    `  all runs       ${url}/runs`,
    `  the reference  ${url}/docs`,
    "",
    "To go on, in another terminal:",
    "",
    `  ${server}npx agentflow run resume ${run.id} --payload ${quoted(payload)} --wait`,
    "",
    "or the same with curl:",
    "",
    `  curl -X POST ${url}/v1/runs/${run.id}/resume -H 'content-type: application/json' -d ${quoted(`{"payload":${payload}}`)}`,
    "",
    "Ctrl-C stops the service; the run stays parked and can be resumed after the next start.",
  ].join("\n");
}

/** One word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
