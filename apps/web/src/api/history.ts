import type { HistoryEntryAnswer, HistoryPage } from "@agentflow/contract";

/** What is known of a loop's history, and where its last page begins. */
export type KnownHistory = {
  readonly entries: readonly HistoryEntryAnswer[];
  /** Entries on the pages before the last one: those never change again. */
  readonly settled: number;
  /** Leads to the last page; undefined when that is the first. */
  readonly lastCursor: string | undefined;
};

/** All entries of a history: what is settled is kept, the rest is asked for page by page. */
export async function completeHistory(
  known: KnownHistory | null,
  page: (cursor: string | undefined) => Promise<HistoryPage>,
): Promise<KnownHistory> {
  let lastCursor = known?.lastCursor;
  let settled = known?.settled ?? 0;
  const entries = known?.entries.slice(0, settled) ?? [];
  for (;;) {
    const { items, nextCursor } = await page(lastCursor);
    entries.push(...items);
    if (nextCursor === null) return { entries, settled, lastCursor };
    settled = entries.length;
    lastCursor = nextCursor;
  }
}

/** The longest of several histories of the same loop; null without any. */
export function longest(histories: readonly (KnownHistory | undefined)[]): KnownHistory | null {
  let best: KnownHistory | null = null;
  for (const one of histories)
    if (one !== undefined && (best === null || one.entries.length > best.entries.length)) best = one;
  return best;
}
