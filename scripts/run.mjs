// Installs and builds what is missing, then turns into the task. Needs Node and its npm, nothing else.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants as osConstants, homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isConsoleStale } from "./build-console.mjs";
import { withLock } from "./lock.mjs";

const TASKS = {
  start: { program: "apps/cli/bin/agentflow.mjs", args: ["demo"] },
  test: { program: "node_modules/vitest/vitest.mjs", args: ["run"] },
  chaos: { program: "test/chaos/main.mjs", args: [] },
  bench: { program: "test/bench/main.mjs", args: [], peers: true },
  fuzz: { program: "test/fuzz/main.mjs", args: [] },
  soak: { program: "test/soak/main.mjs", args: [] },
};
const MIN_NODE = [20, 19];
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".bootstrap");
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

await main(process.argv[2] ?? "", process.argv.slice(3));

async function main(name, args) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]))
    fail(`Node ${MIN_NODE.join(".")} or later is needed, this is ${process.version}`, 1);
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : null;
  if (task === null)
    fail(`there is no task ${JSON.stringify(name)}; tasks: ${Object.keys(TASKS).join(", ")}`, 2);

  process.chdir(root);
  useOwnHomeIfNeeded();
  await prepare(task.peers === true);
  await become(join(root, task.program), [...task.args, ...args]);
}

/** Service users such as nobody have no home folder: caches and data go into the repository's .cache. */
function useOwnHomeIfNeeded() {
  if (isWritable(homedir())) return;
  const cache = join(root, ".cache");
  if (!isWritable(cache))
    fail(`neither ${homedir()} nor ${cache} is writable; set HOME to a folder that is`, 1);
  mkdirSync(cache, { recursive: true });
  for (const name of Object.keys(process.env))
    if (/^npm_config_(userconfig|globalconfig|prefix|local_prefix|init_module)$/i.test(name))
      delete process.env[name];
  process.env.HOME = cache;
  process.env.npm_config_cache = join(cache, "npm");
  for (const kind of ["DATA", "CACHE", "STATE", "CONFIG"]) process.env[`XDG_${kind}_HOME`] = cache;
}

/** Whether the folder can be written, or created where it is missing. */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    return error.code === "ENOENT" && folder !== dirname(folder) && isWritable(dirname(folder));
  }
}

/** Installs when a manifest changed and always builds (0.2 s when nothing changed), one process at a time. */
async function prepare(peers) {
  const lock = join(root, ".cache", "bootstrap.lock");
  if (!isWritable(dirname(lock))) {
    if (!isInstalled(peers)) fail(`${root} is not writable, and what is installed there does not fit`, 1);
    return;
  }
  mkdirSync(dirname(lock), { recursive: true });
  const onWait = (pid) => say(`waiting for process ${pid}, which is setting up`);
  await withLock(lock, onWait, async () => {
    if (!isInstalled(peers)) await install(peers);
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], process.env, "the build failed");
    if (isConsoleStale(root))
      await run(process.execPath, ["scripts/build-console.mjs"], process.env, "building the console failed");
  });
}

/** Whether what is there fits; what the bench compares us with (200 MB) is installed for the bench alone, and harms nobody. */
function isInstalled(peers) {
  const found = existsSync(stamp) ? readFileSync(stamp, "utf8") : null;
  return found === wantedStamp(true) || (!peers && found === wantedStamp(false));
}

/** A hash of all that decides what an install brings. */
function wantedStamp(peers) {
  const members = ["packages", "apps"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const manifests = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];
  manifests.push(
    ...[...members, "test", ...(peers ? ["test/bench"] : [])]
      .map((folder) => `${folder}/package.json`)
      .sort(),
  );
  const hash = createHash("sha256").update(
    `${process.platform} ${process.arch} ${process.versions.modules} ${packageManager}`,
  );
  for (const file of manifests)
    if (existsSync(join(root, file))) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

async function install(peers) {
  say(`installing with ${packageManager}`);
  // From here on node_modules is neither the old state nor the new one.
  rmSync(stamp, { force: true });
  const given = process.env.npm_execpath ?? "";
  const npm = /npm-cli\.[cm]?js$/.test(given) ? [process.execPath, given] : ["npm"];
  const exec = ["exec", "--yes", "--prefer-offline", "--package", packageManager, "--"];
  // Without --prod=false, NODE_ENV=production would leave out the compiler.
  const pnpm = ["pnpm", "install", "--frozen-lockfile", "--prefer-offline", "--prod=false"];
  if (!peers) pnpm.push("--filter=!@agentflow/bench");
  const [command, ...first] = npm;
  await run(command, [...first, ...exec, ...pnpm], { ...process.env, CI: "1" }, "the installation failed");
  writeFileSync(stamp, wantedStamp(peers));
}

/** Runs a program to its end; signals go on to it, and end this process when it has ended. */
async function run(command, args, env, failure) {
  // Its output is not the task's: stdout is left to the task.
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", 2, 2] });
  let stopped = null;
  const forward = (signal) => {
    stopped = signal;
    child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, forward);
  const status = await new Promise((done) => {
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, signal) => done(signal ?? code));
  });
  for (const signal of STOP_SIGNALS) process.off(signal, forward);
  if (stopped !== null) fail(`stopped by ${stopped}`, 128 + osConstants.signals[stopped]);
  if (status !== 0) fail(`${failure} (${status})`, 1);
}

/** Loads the program into this process: signals, terminal and exit code are its own. */
async function become(program, args) {
  if (!existsSync(program)) fail(`${program} is missing`, 1);
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}

function say(text) {
  process.stderr.write(`[setup] ${text}\n`);
}

function fail(text, code) {
  say(text);
  process.exit(code);
}
