import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { sampleLoop, sampleRun } from "../testing/sample-run.ts";
import { parkedText } from "./instructions.ts";

const run = sampleRun({
  status: "waiting",
  loops: [sampleLoop({ status: "waiting", summary: "12 records need a decision" })],
});
const payload = `{"note":"it's fine"}`;

function commandIn(text: string, beginning: string): string {
  return text.split("\n").find((line) => line.trim().startsWith(beginning)) ?? "";
}

/** What a shell makes of the words of a command. */
function words(command: string): string[] {
  const script = `set -- ${command.trim()}; printf '%s\\0' "$@"`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("S-2: a parked run shows why it waits, its address, the reference and two commands that resume it", () => {
  const text = parkedText("http://127.0.0.1:4700", run, payload);
  expect(text).toContain("12 records need a decision");
  expect(text).toContain(`http://127.0.0.1:4700/runs/${run.id}\n`);
  expect(text).toContain("http://127.0.0.1:4700/runs\n");
  expect(text).toContain("http://127.0.0.1:4700/docs\n");
  expect(words(commandIn(text, "npx"))).toEqual([
    ...["npx", "agentflow", "run", "resume", run.id, "--payload"],
    payload,
    "--wait",
  ]);
  const curl = words(commandIn(text, "curl"));
  expect(curl).toContain(`http://127.0.0.1:4700/v1/runs/${run.id}/resume`);
  expect(JSON.parse(curl.at(-1) ?? "")).toEqual({ payload: { note: "it's fine" } });
});

test("S-2: with another port the command names the server", () => {
  const text = parkedText("http://127.0.0.1:4701", run, payload);
  expect(commandIn(text, "AGENTFLOW_URL=http://127.0.0.1:4701 npx agentflow run resume")).not.toBe("");
});
