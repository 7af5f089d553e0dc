import { connect } from "../connect.ts";
import { say, sayJson, sayJsonText } from "../console/out.ts";
import { oneLine, table } from "../console/text.ts";

type Json = { readonly json?: true };

const PAGE = 500;
const SUMMARY_COLUMNS = 120;
const DIFF_COLUMNS = 200;

type OfLoop = { readonly loop?: string; readonly epoch?: number };

/** Writes the exact state text of a loop, now or after an iteration; `loop` is its path or the id of a loop of the parent graph. */
export async function stateCommand(
  id: string,
  { loop, epoch, iteration }: OfLoop & { readonly iteration?: number },
): Promise<void> {
  const client = connect();
  const state =
    iteration === undefined
      ? await client.getRunState(id, loop)
      : await client.getRunStateAt(id, { loop, epoch, iteration });
  sayJsonText(state);
}

/** Shows how the states after two iterations differ: one operation of the patch per line. */
export async function diffCommand(
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  { json, loop, epoch }: Json & OfLoop,
): Promise<void> {
  const diff = await connect().getRunDiff(id, { from, to, loop, epoch });
  if (json) return sayJson(diff);
  const lines = diff.patch.map(({ op, path, value }) => {
    const shown = op === "remove" ? "" : ` ${JSON.stringify(value)}`;
    return oneLine(`${op} ${path === "" ? "(all)" : path}${shown}`, DIFF_COLUMNS);
  });
  say(lines.length === 0 ? "the states are equal" : lines.join("\n"));
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
