import { existsSync } from "node:fs";
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStepRig, running, type StepRig, textOf, uniqueSleep } from "./testing/step-rig.ts";

const oneByteAtATime = fileURLToPath(new URL("../fixtures/one-byte-at-a-time.mjs", import.meta.url));
const DONE = '{"decision":"done"}';

let rig: StepRig;
beforeAll(async () => {
  rig = await openStepRig();
});
afterAll(() => rig.close());

describe("how a command ends", () => {
  it("L-24: exit code, stdout and stderr come back as they were", async () => {
    expect(await rig.run("echo out; echo err >&2; exit 3")).toMatchObject({
      kind: "exited",
      exitCode: 3,
      stdout: Buffer.from("out\n"),
      stderr: "err\n",
    });
  });

  it("P-41: a valid decision before a failure does not hide the failure", async () => {
    expect(await rig.run(`echo '${DONE}'; exit 1`)).toMatchObject({ kind: "exited", exitCode: 1 });
    expect(await rig.run(`echo '${DONE}'; kill -9 $$`)).toMatchObject({
      kind: "signalled",
      signal: "SIGKILL",
    });
  });

  it("P-41: no output is an empty stdout with exit code 0", async () => {
    expect(await rig.run("exit 0")).toMatchObject({
      kind: "exited",
      exitCode: 0,
      stdout: Buffer.alloc(0),
      stderr: "",
    });
  });

  it("P-41: a missing interpreter and a file that is not executable are exit codes other than 0, with the reason on stderr", async () => {
    const missing = await rig.run("no-such-interpreter x.js");
    expect(missing).toMatchObject({
      kind: "exited",
      exitCode: 127,
      stderr: expect.stringContaining("not found"),
    });
    const prepare = async ({ cwd }: { cwd: string }) => {
      await writeFile(join(cwd, "plain"), "echo no");
      await writeFile(join(cwd, "lost"), "#!/no/such/interpreter\n");
      await chmod(join(cwd, "lost"), 0o755);
    };
    expect(await rig.run("./plain", { prepare })).toMatchObject({
      kind: "exited",
      exitCode: 126,
      stderr: expect.stringContaining("denied"),
    });
    expect(await rig.run("./lost", { prepare })).toMatchObject({ kind: "exited", exitCode: 127 });
  });

  it("L-28, P-35: a background child that holds stdout neither blocks the step nor survives it", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`${sleep} & echo '${DONE}'`);
    expect(textOf(outcome)).toBe(`${DONE}\n`);
    expect(await running(sleep)).toEqual([]);
  });

  it("L-28: a background child without any of our pipes does not survive the step", async () => {
    const sleep = uniqueSleep();
    expect(await rig.run(`${sleep} > /dev/null 2>&1 &`)).toMatchObject({ kind: "exited", exitCode: 0 });
    expect(await running(sleep)).toEqual([]);
  });

  it("L-28: a background child in a session of its own does not survive the step either", async () => {
    const sleep = uniqueSleep();
    expect(textOf(await rig.run(`setsid sh -c '${sleep}; exit' & sleep 0.1; echo ok`))).toBe("ok\n");
    expect(await running(sleep)).toEqual([]);
  });

  it("L-28, P-35: 900 KiB written just before the exit are complete", async () => {
    const outcome = await rig.run(`head -c 921600 /dev/zero | tr '\\0' x; printf '%s' '${DONE}'`);
    expect(textOf(outcome)).toBe("x".repeat(921_600) + DONE);
    const byNode = await rig.run(`node -e 'process.stdout.write("y".repeat(921600))'`);
    expect(textOf(byNode)).toBe("y".repeat(921_600));
  });

  it("L-26: a program that writes one byte at a time is read whole", async () => {
    expect(textOf(await rig.run(`node '${oneByteAtATime}' 3000`))).toBe("0123456789".repeat(300));
  });

  it("L-47: NUL and broken bytes on stderr become U+FFFD, on stdout they stay", async () => {
    expect(await rig.run(`printf 'a\\000b\\377' >&2; printf 'a\\000b\\377'`)).toMatchObject({
      stderr: "a\uFFFDb\uFFFD",
      stdout: Buffer.from([97, 0, 98, 255]),
    });
  });
});

describe("what a command is given", () => {
  it("F-24, D5: the environment is exactly the allowed names", async () => {
    const outcome = await rig.run("tr '\\0' '\\n' < /proc/$$/environ", {
      env: { AGENTFLOW_WHILE_ITERATION: "2" },
    });
    const lines = textOf(outcome).trimEnd().split("\n");
    const allowed = ["PATH", "HOME", "LANG", "TZ"].filter((name) => process.env[name] !== undefined);
    expect(lines.map((line) => line.split("=")[0]).toSorted()).toEqual(
      [...allowed, "AGENTFLOW_STEP", "AGENTFLOW_WHILE_ITERATION", "TMPDIR"].toSorted(),
    );
    expect(lines).toContain("AGENTFLOW_WHILE_ITERATION=2");
    expect(lines.find((line) => line.startsWith("AGENTFLOW_STEP="))).toMatch(/^AGENTFLOW_STEP=run_1@/);
  });

  it("F-22: it starts in the fresh private folder, with TMPDIR inside it", async () => {
    let cwd = "";
    const outcome = await rig.run('pwd; ls -a; echo "$TMPDIR"; touch "$TMPDIR/x"; stat -c %a . "$TMPDIR"', {
      prepare: (directories) => {
        cwd = directories.cwd;
      },
    });
    expect(textOf(outcome).split("\n")).toEqual([
      cwd,
      ".",
      "..",
      "outputs",
      "tmp",
      join(cwd, "tmp"),
      "700",
      "700",
      "",
    ]);
    expect(existsSync(cwd)).toBe(false);
  });

  it("S-20, D8: stdin is empty", async () => {
    expect(textOf(await rig.run("cat; echo end"))).toBe("end\n");
  });

  it("F-26: text for stdin arrives whole", async () => {
    const stdin = "日本\n".repeat(50_000);
    expect(textOf(await rig.run("wc -l; cat", { stdin }))).toBe("50000\n");
    expect(textOf(await rig.run("cat", { stdin }))).toBe(stdin);
    expect(textOf(await rig.run("cat", { stdin: "" }))).toBe("");
  });

  it("L-26: stdout and stderr are real pipes, which can be opened by name", async () => {
    expect(await rig.run("echo a > /dev/stderr; echo b | tee /dev/stderr")).toMatchObject({
      exitCode: 0,
      stdout: Buffer.from("b\n"),
      stderr: "a\nb\n",
    });
  });

  it.each([127 * 1024, 128_000, 128_001, 129 * 1024, 1_048_576])(
    "L-23, P-33: a value of %i bytes is in its file, and in the environment up to 128 000",
    async (size) => {
      const text = `"${"x".repeat(size - 5)}日"`;
      const files = { AGENTFLOW_WHILE_STATE: { fileName: "state.json", text, alsoEnv: true } };
      const outcome = await rig.run(
        'stat -c "%a %s" "$AGENTFLOW_WHILE_STATE_FILE"; printf %s "${AGENTFLOW_WHILE_STATE-unset}"',
        { files },
      );
      expect(textOf(outcome)).toBe(`600 ${size}\n${size <= 128_000 ? text : "unset"}`);
    },
  );

  it("L-23: a value that is not asked for in the environment is only in its file, byte for byte", async () => {
    const files = { AGENTFLOW_CONTEXT: { fileName: "context.json", text: "a\0b\n\n", alsoEnv: false } };
    expect(
      textOf(
        await rig.run('printf %s "${AGENTFLOW_CONTEXT-unset}"; cat "$AGENTFLOW_CONTEXT_FILE"', { files }),
      ),
    ).toBe("unseta\0b\n\n");
  });
});

describe("commands the system takes only so long", () => {
  const padded = (size: number): string => 'printf %s "$0"; #'.padEnd(size, "x");

  it("F-22: up to 131 071 bytes it is an argument, from 131 072 on a private file", async () => {
    expect(textOf(await rig.run(padded(131_071)))).toBe("/bin/sh");
    expect(textOf(await rig.run(padded(131_072)))).toMatch(/\/in\/command\.sh$/);
    expect(textOf(await rig.run(`${padded(2_000_000)}\nstat -c %a "$0"`))).toMatch(/\/in\/command\.sh600\n$/);
  });

  it("F-22, P-33: a word longer than a program can be given is a step error that says so", async () => {
    const outcome = await rig.run(`/bin/echo '${"x".repeat(200_000)}'`);
    expect(outcome).toMatchObject({
      kind: "spawn_failed",
      cause: "argument_too_long",
      message: expect.stringContaining("Argument list too long"),
    });
  });

  it("F-22: an environment variable of 128 KiB is refused by name", async () => {
    const fits = "x".repeat(131_071 - "AGENTFLOW_BIG=".length);
    expect(await rig.run("exit 0", { env: { AGENTFLOW_BIG: fits } })).toMatchObject({
      kind: "exited",
      exitCode: 0,
    });
    const outcome = await rig.run("exit 0", { env: { AGENTFLOW_BIG: `${fits}x` } });
    expect(outcome).toMatchObject({
      kind: "spawn_failed",
      cause: "argument_too_long",
      message: expect.stringContaining("AGENTFLOW_BIG"),
    });
  });

  it("F-22: an environment too long as a whole is a step error", async () => {
    const env = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`AGENTFLOW_${index}`, "x".repeat(100_000)]),
    );
    expect(await rig.run("exit 0", { env })).toMatchObject({
      kind: "spawn_failed",
      cause: "argument_too_long",
    });
  });

  it("P-46: a NUL in the command or in a variable is refused, not cut", async () => {
    expect(await rig.run("echo a\0b")).toMatchObject({
      kind: "spawn_failed",
      cause: "other",
      message: expect.stringContaining("NUL"),
    });
    expect(await rig.run("exit 0", { env: { AGENTFLOW_X: "a\0b" } })).toMatchObject({
      kind: "spawn_failed",
      message: expect.stringContaining("AGENTFLOW_X"),
    });
  });

  it("L-51: private files that cannot be written are infrastructure trouble", async () => {
    const prepare = (directories: { root: string }) => rm(directories.root, { recursive: true });
    const files = { AGENTFLOW_X: { fileName: "x", text: "x", alsoEnv: true } };
    expect(await rig.run("exit 0", { prepare, files })).toMatchObject({
      kind: "spawn_failed",
      cause: "no_resources",
    });
  });
});

describe("a wrapper in front of every command", () => {
  it("S-20: gets shell and command as its last arguments", async () => {
    const wrapper = ["/usr/bin/env", "AGENTFLOW_WRAPPED=yes"];
    expect(textOf(await rig.run('echo "$AGENTFLOW_WRAPPED it' + "'" + 's"', { wrapper }))).toBe("yes it's\n");
  });

  it("S-20: one that is not there is a step error", async () => {
    expect(await rig.run("exit 0", { wrapper: ["/no/such/wrapper"] })).toMatchObject({
      kind: "spawn_failed",
      cause: "not_executable",
    });
  });
});

describe("the folders of a step", () => {
  it("S-20: nothing of a step stays, whatever it did to its permissions", async () => {
    let root = "";
    await rig.run("mkdir -p outputs/a/b; touch outputs/a/b/c; chmod 000 outputs/a/b outputs/a; chmod 500 .", {
      prepare: (directories) => {
        root = directories.root;
      },
    });
    await expect(stat(root)).rejects.toThrow("ENOENT");
  });
});
