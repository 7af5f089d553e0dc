import { afterEach, expect, it } from "vitest";
import { Rig, edge, flow, node, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const scripts = (text: string) =>
  new Map([["step.sh", { bytes: new TextEncoder().encode(text), executable: false }]]);

it("P-66: a parked run stays on the version it started with, its files too, until a resume asks for another", async () => {
  rig = new Rig(() => '{"decision":"wait"}');
  await rig.register(scriptLoop(), "flow", scripts("one"));
  const runId = await rig.start();
  await rig.drain();
  const changed = scriptLoop({ maxIterations: "9" });
  changed.nodes["loop"]!.script = "decide otherwise";
  await rig.register(changed, "flow", scripts("two"));
  await rig.resume(runId);
  await rig.drain();
  const [first, second] = rig.runner.calls;
  expect([second?.command, second?.bundleDigest]).toEqual([first?.command, first?.bundleDigest]);
  expect(await rig.view(runId)).toMatchObject({ version: 1, loops: [{ epoch: 0, maxIterations: 5 }] });

  await rig.resume(runId, { version: 2 });
  await rig.drain();
  expect(rig.runner.calls[2]?.command).toBe("decide otherwise");
  expect(await rig.view(runId)).toMatchObject({ version: 2, loops: [{ epoch: 1, maxIterations: 9 }] });
});

it("AC-48, L-38: a version that differs in the content of a script file only goes on with the new file", async () => {
  rig = new Rig(() => '{"decision":"wait"}');
  await rig.register(scriptLoop(), "flow", scripts("one"));
  const runId = await rig.start();
  await rig.drain();
  const version = await rig.register(scriptLoop(), "flow", scripts("two"));
  await rig.resume(runId, { version });
  await rig.drain();
  expect(await rig.view(runId)).toMatchObject({ version: 2, loops: [{ epoch: 0, iterations: 2 }] });
  const [first, second] = rig.runner.calls.map(({ bundleDigest }) => bundleDigest);
  expect(second).not.toBe(first);
});

it("F-17, F-19: an IR is kept with its edges unique and sorted, whatever order they come in", async () => {
  rig = new Rig(() => "x");
  const tool = () => node("tool.nodejs", { script: "true" });
  const sorted = flow({
    nodes: { a: tool(), b: tool(), c: tool() },
    edges: ["a.next → b.prev", "b.next → c.prev"],
    roots: ["a"],
  });
  await rig.register(sorted);
  const twice = { ...sorted, edges: ["b.next → c.prev", "a.next → b.prev", "b.next → c.prev"].map(edge) };
  expect(await rig.register(twice)).toBe(1);
});
