type Page<Item> = {
    readonly items: readonly Item[];
    readonly nextCursor: string | null;
};
/** What is known of a list that only grows at its end, such as a loop's history, and where its last page begins. */
export type Known<Item> = {
    readonly entries: readonly Item[];
    /** Entries on the pages before the last one: those never change again. */
    readonly settled: number;
    /** Leads to the last page; undefined when that is the first. */
    readonly lastCursor: string | undefined;
};
/** All entries of a growing list: what is settled is kept, the rest is asked for page by page. */
export declare function completeHistory<Item>(known: Known<Item> | null, page: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Known<Item>>;
/** The longest of several states of the same list; null without any. */
export declare function longest<Item>(lists: readonly (Known<Item> | undefined)[]): Known<Item> | null;
export {};
