import { setTimeout as sleep } from "node:timers/promises";
import {
  ServerUnreachable,
  type Client,
  type LogEntryAnswer,
  type RunEventAnswer,
} from "@agentflow/contract";
import { connect } from "../connect.ts";
import { say, sayJson } from "../console/out.ts";
import { oneLine } from "../console/text.ts";

type Json = { readonly json?: true };

const PAGE = 500;
const LINE_COLUMNS = 400;
/** A server that is being started again is waited for this long. */
const OUTAGE_LIMIT_MS = 60_000;
const RETRY_MS = 500;

/** Shows what the commands of a run wrote to stderr, of one iteration or of all. With `json` one entry per line. */
export async function logsCommand(
  id: string,
  { json, iteration }: Json & { readonly iteration?: number },
): Promise<void> {
  const client = connect();
  let cursor: string | undefined;
  do {
    const page = await client.getRunLogs(id, { iteration, limit: PAGE, cursor });
    for (const entry of page.items) {
      if (json) sayJson(entry);
      else say(logText(entry));
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** A step's stderr under a line that says whose it is. */
export function logText({ at, loop, iteration, node, attempt, text }: LogEntryAnswer): string {
  const where = loop === null ? node : `${node}, iteration ${iteration}`;
  return `== ${at} ${where}${attempt > 1 ? `, attempt ${attempt}` : ""}\n${text.replace(/\n$/, "")}`;
}

/** Shows the events of a run; with `follow` as they happen, until it has ended. With `json` one event per line. */
export async function eventsCommand(
  id: string,
  { json, follow, after = 0 }: Json & { readonly follow?: true; readonly after?: number },
): Promise<void> {
  const client = connect();
  for await (const event of follow ? followEvents(client, id, after) : pagedEvents(client, id, after)) {
    if (json) sayJson(event);
    else say(eventText(event));
  }
}

/** An event on one line: its number, its time, its type, and what else it says. */
export function eventText({ seq, at, type, ...fields }: RunEventAnswer): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return oneLine([`${seq} ${at} ${type}`, ...rest].join(" "), LINE_COLUMNS);
}

async function* pagedEvents(client: Client, id: string, after: number): AsyncGenerator<RunEventAnswer> {
  for (let cursor: string | null = String(after); cursor !== null;) {
    const page = await client.listRunEvents(id, { limit: PAGE, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  }
}

/** Goes on behind the last event after a lost connection; a server that stays away ends it. */
export async function* followEvents(
  client: Pick<Client, "streamRunEvents">,
  id: string,
  after: number,
): AsyncGenerator<RunEventAnswer> {
  let last = after;
  let heardAt = performance.now();
  for (;;) {
    try {
      for await (const event of client.streamRunEvents(id, last)) {
        last = event.seq;
        heardAt = performance.now();
        yield event;
      }
      return;
    } catch (error) {
      const patient = performance.now() - heardAt < OUTAGE_LIMIT_MS;
      if (!(error instanceof ServerUnreachable) || !patient) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Says in one sentence why a run is not moving. */
export async function explainCommand(id: string, { json }: Json): Promise<void> {
  const found = await connect().explainRun(id);
  if (json) return sayJson(found);
  const { status, sentence, since, until } = found;
  say(`${status} since ${since}${until === null ? "" : `, until ${until}`}: ${sentence}`);
}
