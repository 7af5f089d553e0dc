import { type ChildProcess, spawn } from "node:child_process";

/** Outlives a worker that was killed and takes its steps with it (S-20). */
export type Guardian = {
  /** Pid of the guardian process; it changes when the guardian was killed and started again. */
  readonly pid: number;
  /** From now on the group dies with this process. */
  add(group: number): void;
  /** The group is over; its number may be used again. */
  remove(group: number): void;
  /** Lets the guardian go; resolves when it has exited. Groups still registered are killed. */
  close(): Promise<void>;
};

/**
 * Reads `+group` and `-group` lines until its stdin ends, which happens when the worker is gone for whatever reason; then it kills
 * every group still registered and, unless the worker took its leave with `.`, by the mark in their environment, what left its group or was started in the very moment of
 * the death. The second look, a second later, is for a process that had not reached its exec at the first.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
parted=
while read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups$group " ;;
    -*) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
    .) parted=yes ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
[ -z "$parted" ] && [ -d /proc/self ] || exit 0
for pause in 0 1; do
  sleep "$pause"
  for environ in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
    pid=\${environ#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
done
exit 0
`;

function startProcess(owner: string): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "agentflow-guardian", `@${owner}.`], {
    cwd: "/",
    // Nothing of the worker's environment: the guardian must not carry the mark it looks for.
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    // A session of its own: what kills the worker's group or terminal must not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  // A guardian that was killed answers EPIPE; the next `add` starts another.
  child.stdin?.on("error", () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  return child;
}

/** Starts the guardian of this process. `owner` is what `thisOwner()` says. Throws when no process can be started. */
export function startGuardian(owner: string): Guardian {
  const groups = new Set<number>();
  let child = startProcess(owner);
  if (child.pid === undefined) throw new Error("The guardian process of the worker could not be started.");
  const isRunning = (): boolean =>
    child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  const send = (line: string): void => void child.stdin?.write(`${line}\n`);
  return {
    get pid() {
      return child.pid ?? 0;
    },
    add(group) {
      groups.add(group);
      if (isRunning()) return send(`+${group}`);
      child = startProcess(owner);
      for (const each of groups) send(`+${each}`);
    },
    remove(group) {
      groups.delete(group);
      if (isRunning()) send(`-${group}`);
    },
    async close() {
      if (!isRunning()) return;
      const closed = new Promise((resolve) => child.once("exit", resolve));
      child.ref();
      child.stdin?.end(".\n");
      await closed;
    },
  };
}
