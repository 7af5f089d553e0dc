type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

/** What is known of a list that only grows at its end, such as a loop's history, and where its last page begins. */
export type Known<Item> = {
  readonly entries: readonly Item[];
  /** Entries on the pages before the last one: those never change again. */
  readonly settled: number;
  /** Leads to the last page; undefined when that is the first. */
  readonly lastCursor: string | undefined;
};

/** All entries of a growing list: what is settled is kept, the rest is asked for page by page. */
export async function completeHistory<Item>(
  known: Known<Item> | null,
  page: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Known<Item>> {
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

/** The longest of several states of the same list; null without any. */
export function longest<Item>(lists: readonly (Known<Item> | undefined)[]): Known<Item> | null {
  let best: Known<Item> | null = null;
  for (const one of lists)
    if (one !== undefined && (best === null || one.entries.length > best.entries.length)) best = one;
  return best;
}
