import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStepRig, running, type StepRig, textOf, uniqueSleep } from "./testing/step-rig.ts";

const MIB = 1_048_576;
const STDERR = 262_144;

let rig: StepRig;
beforeAll(async () => {
  rig = await openStepRig();
});
afterAll(() => rig.close());

describe("stdout", () => {
  it("L-25, P-39: exactly 1 MiB passes whole", async () => {
    const outcome = await rig.run(`head -c ${MIB} /dev/zero`);
    expect(outcome.kind).toBe("exited");
    expect(textOf(outcome).length).toBe(MIB);
  });

  it("L-25, P-39, AC-34: one byte more kills the group", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`${sleep} & head -c ${MIB + 1} /dev/zero; ${sleep}`);
    expect(outcome).toMatchObject({ kind: "too_large", stream: "stdout", limitBytes: MIB });
    expect(await running(sleep)).toEqual([]);
  });

  it("L-25: one byte too many just before the exit counts as well", async () => {
    expect(await rig.run(`head -c ${MIB + 1} /dev/zero`)).toMatchObject({
      kind: "too_large",
      stream: "stdout",
    });
  });

  it("P-39, D3: a stream of 1 GiB ends early", async () => {
    const outcome = await rig.run("echo before >&2; head -c 1073741824 /dev/zero; echo unreachable >&2");
    expect(outcome).toMatchObject({ kind: "too_large", stream: "stdout", stderr: "before\n" });
  });

  it("P-39: bytes count, not characters", async () => {
    const text = (bytes: number) => `yes 日 | tr -d '\\n' | head -c ${bytes}`;
    expect(textOf(await rig.run(text(MIB - 1)))).toBe("日".repeat((MIB - 1) / 3));
    expect(await rig.run(text(MIB + 2))).toMatchObject({ kind: "too_large", stream: "stdout" });
  });

  it("L-25: a program that ignores SIGTERM and floods stdout is killed all the same", async () => {
    expect(await rig.run("trap '' TERM; while :; do yes; done")).toMatchObject({
      kind: "too_large",
      stream: "stdout",
    });
  });
});

describe("stderr", () => {
  it("L-25, AC-28, P-40: exactly 262 144 bytes before a valid decision pass, and none is lost", async () => {
    const outcome = await rig.run(`head -c ${STDERR} /dev/zero | tr '\\0' e >&2; echo '{"decision":"done"}'`);
    expect(outcome).toMatchObject({ kind: "exited", exitCode: 0, stderr: "e".repeat(STDERR) });
    expect(textOf(outcome)).toBe('{"decision":"done"}\n');
  });

  it("L-25, AC-28: one byte more is too large, and what is kept ends at a character", async () => {
    const outcome = await rig.run(
      `head -c ${STDERR - 1} /dev/zero | tr '\\0' e >&2; printf é >&2; echo '{"decision":"done"}'`,
    );
    expect(outcome).toMatchObject({
      kind: "too_large",
      stream: "stderr",
      limitBytes: STDERR,
      stderr: "e".repeat(STDERR - 1),
    });
  });

  it("P-40: 10 MiB on stderr neither hang nor pass", async () => {
    const outcome = await rig.run(`head -c 10485760 /dev/zero >&2; echo '{"decision":"done"}'`);
    expect(outcome).toMatchObject({ kind: "too_large", stream: "stderr" });
  });
});
