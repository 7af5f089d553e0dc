import { beforeAll, expect, test } from "vitest";
import { buildHost, runFixture } from "../fixtures/run.ts";

beforeAll(buildHost);

async function up(...flags: string[]) {
  const fixture = runFixture("shutdown.mjs", flags);
  await fixture.said("up");
  return fixture;
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "S-27: %s closes what is open in reverse order and exits with 0",
  async (signal) => {
    const { child, ended } = await up();
    child.kill(signal);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: "up\nstop asked\nclosing worker\nworker closed\npool closed\n",
      stderr: expect.stringContaining(`"reason":"${signal}"`),
    });
  },
);

test("S-27: what does not close in its time is left behind, the rest is closed", async () => {
  const { child, ended } = await up("hang", "short");
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "up\nstop asked\nclosing worker\npool closed\n" });
  expect(stderr).toContain("the worker did not end within 100 ms");
});

test("S-27: what fails to close is logged, the rest is closed", async () => {
  const { child, ended } = await up("throw");
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "up\nstop asked\nclosing worker\npool closed\n" });
  expect(stderr).toContain("worker is broken");
});

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("S-27: a second signal, %s, exits at once with %d", async (signal, code) => {
  const { child, said, ended } = await up("hang");
  child.kill("SIGTERM");
  await said("closing worker");
  const again = setInterval(() => child.kill(signal), 50);
  expect(await ended).toMatchObject({ code, stdout: "up\nstop asked\nclosing worker\n" });
  clearInterval(again);
});

test("S-27: Ctrl-C that arrives twice, from the terminal and from the parent, is one signal", async () => {
  const { child, ended } = await up();
  child.kill("SIGINT");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining("pool closed") });
});

test("a supervised process leaves Ctrl-C to its supervisor", async () => {
  const { child, said, ended } = await up("supervised");
  child.kill("SIGINT");
  child.kill("SIGINT");
  child.kill("SIGTERM");
  await said("pool closed");
  expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('"reason":"SIGTERM"') });
});

test("a supervised process stops when its supervisor is gone", async () => {
  const { child, ended } = await up("supervised");
  child.disconnect();
  expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining("the supervisor is gone") });
});

test.each([
  ["reject", "nobody listens"],
  ["exception", "reading 'here'"],
])("an error that nobody handles (%s) is logged and ends the process with 1", async (flag, message) => {
  const { code, stdout, stderr } = await runFixture("shutdown.mjs", [flag]).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: "up\n" });
  expect(JSON.parse(stderr)).toMatchObject({
    level: 60,
    msg: "unhandled error",
    err: { message: expect.stringContaining(message) },
  });
});
