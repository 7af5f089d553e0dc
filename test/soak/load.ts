import type { Client } from "@agentflow/contract";
import { until } from "../support/until.ts";

const PARKS = `const loop = control.while("Parks", { state: "0", maxIterations: "9", timeout: "5m" },
  \`[ "$AGENTFLOW_WHILE_ITERATION" = 2 ] && d=wait || d=continue; [ "$AGENTFLOW_WHILE_ITERATION" = 3 ] && d=done; echo log >&2; echo "{\\\\"decision\\\\":\\\\"$d\\\\",\\\\"state\\\\":$AGENTFLOW_WHILE_ITERATION}"\`);
export const run = flow("Run", loop);`;
const COUNTS = `const state = provide.json("state", { value: { n: 0 } });
const loop = control.while("Counts", { state: state.value, maxIterations: 5 }, "state.n < 3", action("provide.json", { value: { n: "{{state.n + 1}}" } }));
export const run = flow("Run", loop);`;
const SLEEPS = `const step = tool.nodejs("Sleeps", {}, "sleep 60");
const shown = display.code("Shown", { content: step.result });
export const run = flow("Run", step, shown);`;
const BIG = `const start = provide.json("Start", { value: "[]" });
const step = tool.nodejs("Big", { value: start.value }, "head -c 200000 /dev/zero | tr '\\\\0' x");
const shown = display.code("Shown", { content: step.result });
export const run = flow("Run", step, shown);`;
const FLOWS = { parks: PARKS, counts: COUNTS, sleeps: SLEEPS, big: BIG };
type FlowName = keyof typeof FLOWS;

export async function registerFlows(client: Client): Promise<void> {
  for (const [name, source] of Object.entries(FLOWS)) await client.registerFlow({ name, source });
}

async function start(client: Client, flow: FlowName, inputs?: object): Promise<string> {
  const given = inputs === undefined ? {} : { inputs: new Map(Object.entries(inputs)) };
  return (await client.startRun({ flow, ...given })).run.id;
}

/** Follows the run's event stream to its end. */
async function follow(client: Client, id: string): Promise<void> {
  for await (const event of client.streamRunEvents(id)) if (event.type === "run-waiting") return;
}

async function reaches(client: Client, id: string, ...wanted: string[]): Promise<void> {
  await until(`${id} is ${wanted.join(" or ")}`, async () => {
    const { status }: { status: string } = await client.getRun(id);
    if (status === "failed" && !wanted.includes("failed"))
      throw new Error(JSON.stringify(await client.getRun(id)));
    return wanted.includes(status);
  });
}

/** Everything callers do, each to its end; what is left of it is rows. */
const DEEDS: readonly ((client: Client, url: string) => Promise<void>)[] = [
  async (client) => {
    const id = await start(client, "parks");
    await follow(client, id);
    await client.resumeRun(id);
    await reaches(client, id, "succeeded");
    await client.getRunHistory(id);
    await client.deleteRun(id);
  },
  async (client) => reaches(client, await start(client, "counts"), "succeeded"),
  async (client) => {
    const id = await start(client, "sleeps");
    await reaches(client, id, "running", "queued");
    await client.cancelRun(id);
    await reaches(client, id, "cancelled");
  },
  async (client) =>
    reaches(client, await start(client, "big", { start: `"${"x".repeat(300_000)}"` }), "succeeded"),
  async (client) => {
    // Left parked: rows only.
    await reaches(client, await start(client, "parks"), "waiting");
    await client.listRuns({ status: ["waiting"] });
    await client.getStats();
  },
  async (_client, url) => {
    // Callers that are wrong, and one that leaves in the middle of a stream.
    await fetch(`${url}/v1/runs`, { method: "POST", body: "{" }).then((answer) => answer.text());
    await fetch(`${url}/v1/nothing`).then((answer) => answer.text());
    await fetch(`${url}/metrics`).then((answer) => answer.text());
  },
  async (client, url) => {
    const id = await start(client, "parks");
    const leave = new AbortController();
    const stream = await fetch(`${url}/v1/runs/${id}/events`, { signal: leave.signal });
    await stream.body?.getReader().read();
    leave.abort();
    await reaches(client, id, "waiting");
    await client.cancelRun(id);
  },
];

/** Several callers at once, who can be told to come to rest. */
export class Load {
  readonly #callers: Promise<void>[];
  #done = 0;
  #resting: { readonly over: Promise<void>; readonly end: () => void } | null = null;
  #busy = 0;
  #stopped = false;

  constructor(client: Client, url: string, callers: number) {
    this.#callers = Array.from({ length: callers }, (_, index) => this.#call(client, url, index));
    // A caller that fails is reported by `stop`.
    for (const caller of this.#callers) caller.catch(() => {});
  }

  async #call(client: Client, url: string, first: number): Promise<void> {
    for (let next = first; !this.#stopped; next += 1) {
      await this.#resting?.over;
      if (this.#stopped) return;
      this.#busy += 1;
      try {
        await DEEDS[next % DEEDS.length]?.(client, url);
        this.#done += 1;
      } finally {
        this.#busy -= 1;
      }
    }
  }

  /** Deeds done so far. */
  get done(): number {
    return this.#done;
  }

  /** Waits until nobody does anything, looks, and lets them go on. */
  async atRest<T>(look: () => Promise<T>): Promise<T> {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#resting = { over, end };
    await until("all callers rest", () => this.#busy === 0);
    const seen = await look();
    this.#resting = null;
    end();
    return seen;
  }

  /** Rejects when a caller failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#callers);
  }
}
