import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { BulkStore } from "../../ports/bulk.ts";
import type { FleetStore } from "../../ports/fleet.ts";
import type { KeyStore } from "../../ports/keys.ts";
import type { Reads } from "../../ports/reads.ts";
import type { RequestStore } from "../../ports/requests.ts";
import type { ScheduleStore } from "../../ports/schedules.ts";
import type { WebhookStore } from "../../ports/webhooks.ts";
import type { RunEvent, WorkStore } from "../../ports/work.ts";

/** A store with what a suite needs beyond the ports. */
export type StoreUnderTest = {
  readonly work: WorkStore;
  readonly requests: RequestStore;
  readonly reads: Reads;
  readonly keys: KeyStore;
  readonly fleet: FleetStore;
  readonly bulk: BulkStore;
  readonly schedules: ScheduleStore;
  readonly webhooks: WebhookStore;
  /** Lets `ms` pass for leases and dispatch times of all runs: a fake clock, or a shift of these columns. */
  clockForward(ms: number): Promise<void>;
  /** Gives these runs one and the same creation time (S-16). */
  alignCreated(runIds: readonly string[]): Promise<void>;
  /** Stored events of a run by `seq`, as stored, each with `seq` and `at`. */
  events(runId: string): Promise<readonly (RunEvent & { readonly seq: number })[]>;
  /** Audit rows of a run, oldest first (S-22); of null those about no run. */
  audits(runId: string | null): Promise<
    readonly {
      readonly action: string;
      readonly actor: string;
      readonly remote: string;
      readonly payload: string | null;
    }[]
  >;
  close(): Promise<void>;
};

/** Makes a store with no rows in it. */
export type MakeStore = () => Promise<StoreUnderTest>;

/** Gives the store of the tests of one `describe`. */
export type GetStore = () => StoreUnderTest;

/** One store for all tests of this `describe`: each works on runs and flows of its own. */
export function sharedStore(makeStore: MakeStore): GetStore {
  let current: StoreUnderTest | null = null;
  beforeAll(async () => {
    current = await makeStore();
  });
  afterAll(() => current?.close());
  return () => made(current);
}

/** An empty store for each test of this `describe`: for what looks at all rows there are. */
export function freshStore(makeStore: MakeStore): GetStore {
  let current: StoreUnderTest | null = null;
  beforeEach(async () => {
    current = await makeStore();
  });
  afterEach(() => current?.close());
  return () => made(current);
}

function made(store: StoreUnderTest | null): StoreUnderTest {
  if (store === null) throw new Error("the store is there only while tests run");
  return store;
}
