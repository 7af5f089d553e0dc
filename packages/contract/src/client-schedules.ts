import { inputsText, send, texts, valueOf } from "./client-call.ts";
import type { CallOptions, ClientOptions, InputValues } from "./client-call.ts";
import { operations } from "./operations.ts";
import { schedule, schedulePage } from "./schedules.ts";
import type { ScheduleBody } from "./schedules.ts";

type Page = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

export type SaveSchedule = Omit<ScheduleBody, "inputs"> & { readonly inputs?: InputValues | undefined };

/** Calls about what starts runs by the clock. */
export function scheduleCalls(options: ClientOptions) {
  const bodyOf = ({ inputs, ...rest }: SaveSchedule) => ({ ...texts(rest), inputs: inputsText(inputs) });
  return {
    createSchedule: async (given: SaveSchedule, call: CallOptions = {}) => {
      const operation = operations.createSchedule;
      return valueOf(schedule, await send(options, { ...call, operation, body: bodyOf(given) }));
    },
    replaceSchedule: async (id: string, given: SaveSchedule, call: CallOptions = {}) => {
      const asked = { operation: operations.replaceSchedule, path: { schedule: id }, body: bodyOf(given) };
      return valueOf(schedule, await send(options, { ...call, ...asked }));
    },
    listSchedules: async (query: Page = {}, call: CallOptions = {}) =>
      valueOf(schedulePage, await send(options, { ...call, operation: operations.listSchedules, query })),
    getSchedule: async (id: string, call: CallOptions = {}) => {
      const asked = { operation: operations.getSchedule, path: { schedule: id } };
      return valueOf(schedule, await send(options, { ...call, ...asked }));
    },
    pauseSchedule: async (id: string, call: CallOptions = {}) => {
      const asked = { operation: operations.pauseSchedule, path: { schedule: id } };
      return valueOf(schedule, await send(options, { ...call, ...asked }));
    },
    resumeSchedule: async (id: string, call: CallOptions = {}) => {
      const asked = { operation: operations.resumeSchedule, path: { schedule: id } };
      return valueOf(schedule, await send(options, { ...call, ...asked }));
    },
    deleteSchedule: async (id: string, call: CallOptions = {}) => {
      await send(options, { ...call, operation: operations.deleteSchedule, path: { schedule: id } });
    },
  };
}
