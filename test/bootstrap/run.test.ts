import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** A workspace whose npm, compiler and command line only note that they were called. */
let root: string;
const log = (): string[] => readFileSync(join(root, "log"), "utf8").split("\n").filter(Boolean);

const NPM = `#!/bin/sh
echo "install CI=$CI NODE_ENV=$NODE_ENV userconfig=$npm_config_userconfig cache=$npm_config_cache $*" >> log
while [ -e hold-install ]; do sleep 0.02; done
mkdir -p node_modules/typescript/bin node_modules/vitest
cp bin/tsc node_modules/typescript/bin/tsc
cp bin/vitest node_modules/vitest/vitest.mjs
[ ! -e fail-install ]
`;

const CLI = `
import { appendFileSync, existsSync } from "node:fs";
appendFileSync("log", "app " + process.argv.slice(2).join(" ") + "\\n");
if (existsSync("serve")) {
  process.on("SIGTERM", () => process.exit(7));
  console.log("up");
  setInterval(() => {}, 1000);
} else process.exitCode = 5;
`;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "boot strap-")), "a folder with spaces");
  cpSync(new URL("../../scripts", import.meta.url), join(root, "scripts"), { recursive: true });
  for (const folder of ["bin", "packages/one", "apps/cli/bin", "test"])
    mkdirSync(join(root, folder), { recursive: true });
  write("package.json", '{ "type": "module", "packageManager": "pnpm@1.2.3" }');
  write("pnpm-lock.yaml", "lock: 1");
  write("packages/one/package.json", "{}");
  write("apps/cli/bin/agentflow.mjs", CLI);
  write("bin/npm", NPM);
  write("bin/tsc", 'import { appendFileSync } from "node:fs"; appendFileSync("log", "build\\n");');
  write("bin/vitest", 'console.log("vitest", ...process.argv.slice(2));');
  write("log", "");
  chmodSync(join(root, "bin/npm"), 0o755);
});
afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }));

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
}

type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };

function start(args: string[], env: Record<string, string> = {}, ids: { uid?: number; gid?: number } = {}) {
  const PATH = `${join(root, "bin")}:/usr/bin:/bin`;
  const child: ChildProcess = spawn(process.execPath, [join(root, "scripts/run.mjs"), ...args], {
    cwd: "/",
    env: { PATH, ...env },
    ...ids,
  });
  const out = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (out.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (out.stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...out }));
  });
  return { child, ended, out };
}

const installs = (): string[] => log().filter((line) => line.startsWith("install"));

test("S-2: the first run installs, builds and starts; the next ones only build and start", async () => {
  expect(await start(["start", "--exit", "a b"], { NODE_ENV: "production" }).ended).toMatchObject({
    code: 5,
    stdout: "",
  });
  expect(await start(["start"]).ended).toMatchObject({ code: 5 });
  expect(log()).toEqual([
    "install CI=1 NODE_ENV=production userconfig= cache= exec --yes --prefer-offline --package pnpm@1.2.3 -- " +
      "pnpm install --frozen-lockfile --prefer-offline --prod=false --filter=!@agentflow/bench",
    "build",
    "app demo --exit a b",
    "build",
    "app demo",
  ]);
});

test("S-2: test runs vitest with the arguments given", async () => {
  expect(await start(["test", "--project", "unit"]).ended).toMatchObject({
    code: 0,
    stdout: "vitest run --project unit\n",
  });
});

test.each(["package.json", "pnpm-lock.yaml", "packages/one/package.json", "test/package.json"])(
  "a change of %s installs again",
  async (file) => {
    await start(["start"]).ended;
    write(file, '{ "type": "module", "packageManager": "pnpm@1.2.3", "changed": true }');
    await start(["start"]).ended;
    await start(["start"]).ended;
    expect(installs()).toHaveLength(2);
  },
);

test("two at once install once, and both start", async () => {
  const both = await Promise.all([start(["start"]).ended, start(["start"]).ended]);
  expect(both).toMatchObject([{ code: 5 }, { code: 5 }]);
  expect(
    log()
      .map((line) => line.split(" ")[0])
      .toSorted((a, b) => (a! < b! ? -1 : 1)),
  ).toEqual(["app", "app", "build", "build", "install"]);
});

test("killed during the installation, the next run takes over the lock and installs", async () => {
  write("hold-install", "");
  const first = start(["start"]);
  await vi.waitFor(() => expect(installs()).toHaveLength(1));
  first.child.kill("SIGKILL");
  await new Promise((resolve) => first.child.once("exit", resolve));
  rmSync(join(root, "hold-install"));
  expect(await start(["start"]).ended).toMatchObject({ code: 5 });
  expect(installs()).toHaveLength(2);
  expect(readdirSync(join(root, ".cache"))).toEqual([]);
});

test("an installation that failed or was stopped is not taken for done", async () => {
  await start(["start"]).ended;
  write("pnpm-lock.yaml", "lock: 2");
  write("fail-install", "");
  expect(await start(["start"]).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the installation failed"),
  });
  rmSync(join(root, "fail-install"));

  write("hold-install", "");
  const stopped = start(["start"]);
  await vi.waitFor(() => expect(installs()).toHaveLength(3));
  stopped.child.kill("SIGTERM");
  expect(await stopped.ended).toMatchObject({ code: 143 });
  rmSync(join(root, "hold-install"));

  write("pnpm-lock.yaml", "lock: 1");
  await start(["start"]).ended;
  expect(installs()).toHaveLength(4);
});

test("S-27: a signal reaches the program, and its exit code is the answer", async () => {
  write("serve", "");
  const { child, ended, out } = start(["start"]);
  await vi.waitFor(() => expect(out.stdout).toBe("up\n"), { timeout: 20_000 });
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 7, signal: null });
});

test("a user without a home folder keeps every cache in the repository", async () => {
  // Root can write everywhere, so root tries it as nobody.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (nobody.uid !== undefined)
    execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, join(root, "..")]);
  const env = { HOME: "/nonexistent", npm_config_userconfig: "/root/.npmrc" };
  expect(await start(["start"], env, nobody).ended).toMatchObject({ code: 5 });
  expect(installs()[0]).toContain(`userconfig= cache=${join(root, ".cache", "npm")} `);
});

test("an unknown task names the known ones", async () => {
  expect(await start(["deploy"]).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("tasks: start, test"),
  });
  expect(log()).toEqual([]);
});
