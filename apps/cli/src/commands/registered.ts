import { connect } from "../connect.ts";
import { say, sayJson } from "../console/out.ts";
import { table } from "../console/text.ts";

type Json = { readonly json?: true };

const PAGE = 500;

/** Shows the registered flows, one per line. */
export async function flowListCommand({ json }: Json): Promise<void> {
  const client = connect();
  const rows: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listFlows({ limit: PAGE, cursor });
    for (const { flow, newestVersion, updatedAt } of page.items) {
      if (json) sayJson({ flow, newestVersion, updatedAt });
      else rows.push([flow, String(newestVersion), updatedAt]);
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  if (!json) say(rows.length === 0 ? "no flows" : table([["FLOW", "VERSION", "UPDATED"], ...rows]));
}

/** Shows a flow version: its source text, or with `json` everything that is known of it. */
export async function flowShowCommand(
  name: string,
  { json, flowVersion }: Json & { readonly flowVersion?: number },
): Promise<void> {
  const client = connect();
  const found =
    flowVersion === undefined ? await client.getFlow(name) : await client.getFlowVersion(name, flowVersion);
  if (json) return sayJson(found);
  say(found.source ?? JSON.stringify(found.ir, null, 2));
}

/** Archives a flow: no new runs; what has ended stays readable. */
export async function flowArchiveCommand(name: string, { json }: Json): Promise<void> {
  const archived = await connect().archiveFlow(name);
  if (json) return sayJson(archived);
  say(`${archived.flow} is archived`);
}

/** Says how many runs of a flow may be at work at one time; without options it shows what is said. */
export async function flowLimitsCommand(
  name: string,
  { json, running, perKey }: Json & { readonly running?: number; readonly perKey?: number },
): Promise<void> {
  const client = connect();
  const before = (await client.getFlow(name)).limits;
  const most = (given: number | undefined, now: number | null) => (given === undefined ? now : given || null);
  const limits = {
    maxRunning: most(running, before.maxRunning),
    maxRunningPerKey: most(perKey, before.maxRunningPerKey),
  };
  if (running !== undefined || perKey !== undefined) await client.setFlowLimits(name, limits);
  if (json) return sayJson(limits);
  const { maxRunning, maxRunningPerKey } = limits;
  say(
    `${name}: ${maxRunning ?? "any number of"} runs at a time, ${maxRunningPerKey ?? "any number"} per key`,
  );
}

/** Shows what the service is doing: runs by status, queue, workers, stuck runs. */
export async function statsCommand({ json }: Json): Promise<void> {
  const stats = await connect().getStats();
  if (json) return sayJson(stats);
  const { runs, queue, workers, iterationsPerMinute, stuck } = stats;
  const depth = queue.depth === null ? queue.status : `${queue.status}, ${queue.depth} jobs`;
  const rows = Object.entries(runs).map(([status, count]) => [status, String(count)]);
  say(
    table([
      ...rows,
      ["queue", depth],
      ["working", String(workers)],
      ["iterations per minute", String(iterationsPerMinute)],
      ["stuck", String(stuck)],
    ]),
  );
}
