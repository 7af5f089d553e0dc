import { readFileSync, readdirSync } from "node:fs";

/** Clock ticks per second of /proc on every Linux that Node runs on. */
const TICKS = 100;

/**
 * CPU ms used so far by these processes and all below them, ended children included; null where /proc is missing. What
 * other processes of the machine do is not in it.
 */
export function cpuMs(roots) {
  const processes = readProcesses();
  if (processes === null) return null;
  const counted = new Set(roots);
  for (let grew = true; grew;) {
    grew = false;
    for (const [pid, { parent }] of processes)
      if (counted.has(parent) && !counted.has(pid)) {
        counted.add(pid);
        grew = true;
      }
  }
  let ticks = 0;
  for (const pid of counted) ticks += processes.get(pid)?.ticks ?? 0;
  return (ticks * 1000) / TICKS;
}

function readProcesses() {
  if (process.platform !== "linux") return null;
  const found = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      const [parent, ticks] = [Number(fields[1]), fields.slice(11, 15).map(Number)];
      found.set(Number(name), { parent, ticks: ticks.reduce((sum, value) => sum + value, 0) });
    } catch {
      // The process ended meanwhile.
    }
  }
  return found;
}
