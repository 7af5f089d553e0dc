import { closeSync, readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/**
 * Closes the descriptors above stderr that this process inherited and that its children would inherit in turn (S-20). Everything Node
 * opens itself is marked close-on-exec and stays. For the first lines of a worker; does nothing without /proc. Returns what was closed.
 */
export function closeInheritedDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
  const inherited = names.map(Number).filter((fd) => fd > 2 && passesOn(fd));
  for (const fd of inherited) closeSync(fd);
  return inherited;
}

function passesOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
