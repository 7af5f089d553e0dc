import { dirname } from "node:path";

/** What every process gets when the worker has it (F-24); TMPDIR is the step's own. */
const BASE_NAMES = ["PATH", "HOME", "LANG", "TZ"] as const;

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Never given to a step, whatever the operator lists (F-24). */
const FORBIDDEN_NAMES = [
  "DATABASE_URL",
  "REDIS_URL",
  "AGENTFLOW_API_KEY",
  "AGENTFLOW_ADMIN_KEY_FILE",
  "AGENTFLOW_SECRET_KEY",
];

export type EnvironmentSources = {
  /** The worker's own environment; only PATH, HOME, LANG and TZ are taken from it. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** What the operator lists in AGENTFLOW_SCRIPT_ENV, with values. */
  readonly listed: Readonly<Record<string, string>>;
};

/**
 * The part of the environment that all steps of a worker share (F-24). The folder of this Node comes last in PATH, so that
 * `node` is found (F-23). Throws when the operator lists a credential of the service.
 */
export function sharedEnvironment({ base, listed }: EnvironmentSources): Record<string, string> {
  const forbidden = FORBIDDEN_NAMES.filter((name) => Object.hasOwn(listed, name));
  if (forbidden.length > 0)
    throw new Error(
      `AGENTFLOW_SCRIPT_ENV must not list ${forbidden.join(", ")}: steps never get credentials of the service.`,
    );
  const shared: Record<string, string> = {};
  for (const name of BASE_NAMES) {
    const value = base[name];
    if (value !== undefined) shared[name] = value;
  }
  const folders = (shared["PATH"] || DEFAULT_PATH).split(":");
  const nodeFolder = dirname(process.execPath);
  shared["PATH"] = (folders.includes(nodeFolder) ? folders : [...folders, nodeFolder]).join(":");
  return { ...shared, ...listed };
}
