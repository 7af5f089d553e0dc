import { connect } from "../connect.ts";
import { say, sayJson, sayJsonText } from "../console/out.ts";
import { oneLine, table } from "../console/text.ts";

type Json = { readonly json?: true };

const PAGE = 500;
const SUMMARY_COLUMNS = 120;

/** Writes the exact state text of a loop; `loop` is its path or the id of a loop of the parent graph. */
export async function stateCommand(id: string, { loop }: { readonly loop?: string }): Promise<void> {
  sayJsonText(await connect().getRunState(id, loop));
}

/** Shows all iterations of a loop in order; with `json` one entry per line. */
export async function historyCommand(
  id: string,
  { json, loop, epoch }: Json & { readonly loop?: string; readonly epoch?: number },
): Promise<void> {
  const client = connect();
  const rows: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.getRunHistory(id, { loop, epoch, limit: PAGE, cursor });
    for (const entry of page.items) {
      if (json) sayJson(entry);
      else
        rows.push([
          String(entry.iteration),
          entry.decision,
          `${entry.elapsedMs} ms`,
          oneLine(entry.summary, SUMMARY_COLUMNS),
        ]);
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  if (!json)
    say(
      rows.length === 0
        ? "no iterations yet"
        : table([["ITERATION", "DECISION", "ACTIVE", "SUMMARY"], ...rows]),
    );
}
