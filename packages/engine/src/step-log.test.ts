import { afterEach, describe, expect, it } from "vitest";
import { Rig, scriptLoop, subflowLoop } from "./testing/index.ts";
import type { CommandScript } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

async function logsOf(runId: string, iteration: number | null = null) {
  const page = await rig.store.reads.logs(runId, { iteration, limit: 100 });
  if (typeof page === "string") throw new Error(page);
  return page.items;
}

describe("logs of steps", () => {
  it("3.4: stderr of every command is kept with its place, whether it did well or not", async () => {
    const script: CommandScript = ({ command, number }) => {
      if (command === "judge")
        return { stdout: number > 4 ? "done" : "continue", stderr: `judged ${number}` };
      if (command === "work") return { stdout: "{}", stderr: `worked ${number}` };
      return { exitCode: 3, stderr: "no downstream" };
    };
    rig = new Rig(script);
    const runId = await rig.runFlow(subflowLoop());
    expect(await rig.story(runId)).toMatchObject({ code: "exit_nonzero" });
    const loop = '["loop"]';
    expect(await logsOf(runId)).toMatchObject([
      { loop, iteration: 1, node: "judge", frame: '[["loop","condition",1]]', text: "judged 1" },
      { loop, iteration: 1, node: "work", frame: '[["loop","body",1]]', text: "worked 2" },
      { loop, iteration: 2, node: "judge", text: "judged 3" },
      { loop, iteration: 2, node: "work", text: "worked 4" },
      { loop, iteration: 3, node: "judge", text: "judged 5" },
      { loop: null, iteration: null, node: "downstream", frame: "[]", attempt: 1, text: "no downstream" },
    ]);
    expect((await logsOf(runId, 2)).map(({ text }) => text)).toEqual(["judged 3", "worked 4"]);
  });

  it("L-32, P-83: what a step wrote before its timeout is kept; a silent step leaves nothing", async () => {
    rig = new Rig(({ number }) =>
      number === 1 ? '{"decision":"continue"}' : { takesMs: 60_000, stderr: "still waiting for the printer" },
    );
    const runId = await rig.runFlow(scriptLoop({ timeout: "5s" }));
    expect(await rig.story(runId)).toMatchObject({ code: "loop_timeout" });
    expect((await logsOf(runId)).map(({ iteration, text }) => [iteration, text])).toEqual([
      [2, "still waiting for the printer"],
    ]);
  });

  it("S-6: a worker that lost its run while the command ran stores neither log nor outcome", async () => {
    rig = new Rig(async ({ marker }) => {
      await rig.cancel(marker.split("_")[0] ?? "");
      return { stdout: '{"decision":"done"}', stderr: "too late" };
    });
    const runId = await rig.runFlow(scriptLoop());
    expect(rig.outcomes).toEqual(["stale"]);
    expect(await logsOf(runId)).toEqual([]);
    expect(await rig.story(runId)).toMatchObject({ status: "cancelled", iterations: 0 });
  });
});
