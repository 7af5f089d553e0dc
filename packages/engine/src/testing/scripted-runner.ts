import type { CommandOutcome } from "../ports/command.ts";
import type { FunctionCall, FunctionHome, FunctionOutcome, FunctionRunner } from "../ports/function.ts";
import type { CommandPlace, CommandRunner, CommandStep } from "../ports/runtime.ts";
import type { FakeClock } from "./fake-clock.ts";

/** One command as the engine asked for it. */
export type ScriptedCall = CommandStep & {
  readonly bundleDigest: string;
  /** Counts the commands of one runner from 1. */
  readonly number: number;
  readonly signal: AbortSignal;
};

/** What a scripted command does: `takesMs` of active time, then an end. `hang` ends only by deadline or abort. */
export type ScriptedEnd = {
  readonly takesMs?: number;
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly hang?: true;
  /** Replaces all of the above by this very outcome. */
  readonly outcome?: CommandOutcome;
};

export type CommandScript = (call: ScriptedCall) => string | ScriptedEnd | Promise<string | ScriptedEnd>;

/**
 * A command runner without processes: a function of the rendered command decides how it ends (a plain text is printed with
 * exit code 0). Active time moves the fake clock; more of it than the deadline allows is `timed_out` (L-29).
 */
export class ScriptedRunner implements CommandRunner, FunctionRunner {
  /** Every command run, oldest first. */
  readonly calls: ScriptedCall[] = [];
  /** Texts of the bundle by path; the same for every bundle. */
  readonly files = new Map<string, string>();
  /** Functions of the bundle by file: what one gives back is its result; an outcome in whole is taken as it is. */
  readonly functions = new Map<string, (call: FunctionCall) => unknown>();
  /** Every function called, oldest first. */
  readonly functionCalls: (FunctionCall & FunctionHome)[] = [];
  /** Places opened and not closed again; 0 once all work is over. */
  openPlaces = 0;
  readonly #script: CommandScript;
  readonly #clock: FakeClock;
  #placesMade = 0;

  constructor(clock: FakeClock, script: CommandScript) {
    this.#clock = clock;
    this.#script = script;
  }

  async open(bundleDigest: string): Promise<CommandPlace> {
    this.openPlaces += 1;
    this.#placesMade += 1;
    const nodeRunDir = `/attempts/${this.#placesMade}/cwd`;
    let used = false;
    let closed = false;
    return {
      nodeRunDir,
      nodeTmpDir: `${nodeRunDir}/tmp`,
      outputsDir: `${nodeRunDir}/outputs`,
      flowDir: `/bundles/${bundleDigest}`,
      readText: async (path) => this.files.get(path) ?? null,
      run: async (step, signal) => {
        if (used || closed) throw new Error("a place runs one command, while it is open");
        used = true;
        return this.#run({ ...step, bundleDigest, number: this.calls.length + 1, signal });
      },
      close: async () => {
        if (!closed) this.openPlaces -= 1;
        closed = true;
      },
    };
  }

  async call(home: FunctionHome, call: FunctionCall, signal: AbortSignal): Promise<FunctionOutcome> {
    if (signal.aborted) return { kind: "aborted", elapsedMs: 0 };
    this.functionCalls.push({ ...call, ...home });
    const given = await this.functions.get(call.file)?.(call);
    if (isOutcome(given)) return given;
    const form = typeof given === "string" ? "text" : "json";
    const stdout = new TextEncoder().encode(typeof given === "string" ? given : JSON.stringify(given));
    return { kind: "returned", form, stdout, stderr: "", elapsedMs: 0 };
  }

  async #run(call: ScriptedCall): Promise<CommandOutcome> {
    if (call.signal.aborted) return { kind: "aborted", elapsedMs: 0 };
    this.calls.push(call);
    const given = await this.#script(call);
    return this.#end(call, typeof given === "string" ? { stdout: given } : given);
  }

  async #end(call: ScriptedCall, end: ScriptedEnd): Promise<CommandOutcome> {
    if (end.outcome !== undefined) {
      this.#clock.advance(end.outcome.elapsedMs);
      return end.outcome;
    }
    const stderr = end.stderr ?? "";
    const wantedMs = end.hang === true ? Number.POSITIVE_INFINITY : (end.takesMs ?? 0);
    const elapsedMs = Math.min(wantedMs, call.deadlineMs ?? Number.POSITIVE_INFINITY);
    if (elapsedMs === Number.POSITIVE_INFINITY) await aborted(call.signal);
    if (call.signal.aborted) return { kind: "aborted", elapsedMs: 0 };
    this.#clock.advance(elapsedMs);
    if (wantedMs > elapsedMs) return { kind: "timed_out", stderr, elapsedMs };
    const stdout =
      typeof end.stdout === "string"
        ? new TextEncoder().encode(end.stdout)
        : (end.stdout ?? new Uint8Array());
    return { kind: "exited", stdout, stderr, exitCode: end.exitCode ?? 0, elapsedMs };
  }
}

function isOutcome(given: unknown): given is FunctionOutcome {
  return typeof given === "object" && given !== null && "kind" in given && "elapsedMs" in given;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}
