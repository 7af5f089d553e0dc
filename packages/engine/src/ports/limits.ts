import type { Caller } from "./requests.ts";

/**
 * How many runs of a flow may be at work at one time, in all and with the same `concurrencyKey`; null for no limit. A run takes its
 * place with a claim and has it until it ends, parks or pauses, its lease runs out, or nobody takes its next iteration in time.
 */
export type FlowLimits = { readonly maxRunning: number | null; readonly maxRunningPerKey: number | null };

/** Which limit keeps a run from being claimed, since when, and how many runs wait for it before this one. */
export type LimitWait = {
  readonly level: "flow" | "key";
  readonly max: number;
  readonly since: string;
  readonly ahead: number;
};

/** A step of a run's priority counts like a second of waiting, up to so many: nobody waits for ever behind others. */
export const PRIORITY_MAX_S = 3600;

/** Limits of flows. A change holds for every claim from then on. */
export interface LimitStore {
  /** Sets both; null for both takes them away. False when there is no such flow. Audited. */
  setFlowLimits(flow: string, limits: FlowLimits, caller: Caller): Promise<boolean>;
}
