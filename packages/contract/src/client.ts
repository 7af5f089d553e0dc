import type { Layout } from "@agentflow/core";
import { bulkCalls } from "./client-bulk.ts";
import { scheduleCalls } from "./client-schedules.ts";
import { webhookCalls } from "./client-webhooks.ts";
import { inputsText, send, texts, valueOf } from "./client-call.ts";
import type { CallOptions, ClientOptions, InputValues } from "./client-call.ts";
import {
  archivedFlow,
  flow,
  flowLimits,
  flowPage,
  flowVersion,
  lintAnswer,
  registeredVersion,
  savedLayout,
} from "./flows.ts";
import type { FlowLimitsBody, RegisterFlowBody } from "./flows.ts";
import { auditPage, storeSize, workerList } from "./fleet.ts";
import type { AuditQuery } from "./fleet.ts";
import { observedCalls } from "./client-events.ts";
import { operations } from "./operations.ts";
import { historyPage, run, runPage, stateDiff } from "./runs.ts";
import type {
  ForkRunBody,
  ListRunsQuery,
  RerunRunBody,
  ResumeRunBody,
  RunAnswer,
  StartRunBody,
} from "./runs.ts";
import { readiness, stats } from "./service.ts";
import { session } from "./session.ts";

export type StartRun = Omit<StartRunBody, "inputs"> & { readonly inputs?: InputValues | undefined };

/** `payloadText` is exact JSON text, in the place of `payload`. */
export type ResumeRun = Omit<ResumeRunBody, "inputs"> & {
  readonly inputs?: InputValues | undefined;
  readonly payloadText?: string | undefined;
};

export type RerunRun = Omit<RerunRunBody, "inputs"> & { readonly inputs?: InputValues | undefined };

/** `statePatchText` is exact JSON text, in the place of `statePatch`. */
export type ForkRun = Omit<ForkRunBody, "inputs"> & {
  readonly inputs?: InputValues | undefined;
  readonly statePatchText?: string | undefined;
};

type OfLoop = { readonly loop?: string | undefined; readonly epoch?: number | undefined };
export type StateAt = OfLoop & { readonly iteration: number };
export type DiffQuery = OfLoop & { readonly from: number; readonly to: number };

export type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };
export type HistoryQuery = PageQuery & {
  readonly loop?: string | undefined;
  readonly epoch?: number | undefined;
};

export type Client = ReturnType<typeof createClient>;

/** A typed client of the API (S-18). Methods throw `ApiError` for refused calls and `ServerUnreachable` without an answer. */
export function createClient(options: ClientOptions) {
  return {
    ...flowCalls(options),
    ...runCalls(options),
    ...bulkCalls(options),
    ...scheduleCalls(options),
    ...webhookCalls(options),
    ...observedCalls(options),
    ...serviceCalls(options),
  };
}

function flowCalls(options: ClientOptions) {
  return {
    /** `created` is false when the newest version was equal. */
    registerFlow: async (flow: RegisterFlowBody, call: CallOptions = {}) => {
      const answer = await send(options, { ...call, operation: operations.registerFlow, body: texts(flow) });
      return { created: answer.status === 201, ...valueOf(registeredVersion, answer) };
    },
    lintFlow: async (flow: RegisterFlowBody, call: CallOptions = {}) =>
      valueOf(
        lintAnswer,
        await send(options, { ...call, operation: operations.lintFlow, body: texts(flow) }),
      ),
    listFlows: async (query: PageQuery = {}, call: CallOptions = {}) =>
      valueOf(flowPage, await send(options, { ...call, operation: operations.listFlows, query })),
    getFlow: async (name: string, call: CallOptions = {}) =>
      valueOf(flow, await send(options, { ...call, operation: operations.getFlow, path: { name } })),
    archiveFlow: async (name: string, call: CallOptions = {}) =>
      valueOf(
        archivedFlow,
        await send(options, { ...call, operation: operations.archiveFlow, path: { name } }),
      ),
    /** Null takes a limit away. */
    setFlowLimits: async (name: string, limits: FlowLimitsBody, call: CallOptions = {}) => {
      const given = { path: { name }, body: texts(limits) };
      return valueOf(
        flowLimits,
        await send(options, { ...call, operation: operations.setFlowLimits, ...given }),
      );
    },
    getFlowVersion: async (name: string, n: number, call: CallOptions = {}) =>
      valueOf(
        flowVersion,
        await send(options, { ...call, operation: operations.getFlowVersion, path: { name, n } }),
      ),
    /** `layoutTag` is that of the layout which is replaced; another one in the meantime is `precondition_failed`. */
    saveLayout: async (name: string, layout: Layout, layoutTag: string, call: CallOptions = {}) => {
      const given = { path: { name }, body: texts(layout), ifMatch: `"${layoutTag}"` };
      return valueOf(
        savedLayout,
        await send(options, { ...call, operation: operations.saveLayout, ...given }),
      );
    },
  };
}

function runCalls(options: ClientOptions) {
  return {
    /** `created` is false when this Idempotency-Key started the run before. */
    startRun: async ({ inputs, ...rest }: StartRun, call: CallOptions = {}) => {
      const body = { ...texts(rest), inputs: inputsText(inputs) };
      const answer = await send(options, { ...call, operation: operations.startRun, body });
      return { created: answer.status === 201, run: valueOf(run, answer) };
    },
    listRuns: async (query: Partial<ListRunsQuery> = {}, call: CallOptions = {}) =>
      valueOf(runPage, await send(options, { ...call, operation: operations.listRuns, query })),
    getRun: async (id: string, call: CallOptions = {}): Promise<RunAnswer> =>
      valueOf(run, await send(options, { ...call, operation: operations.getRun, path: { id } })),
    /** The answer as the server wrote it: inputs keep their exact text. */
    getRunText: async (id: string, call: CallOptions = {}) =>
      (await send(options, { ...call, operation: operations.getRun, path: { id } })).text,
    /** Exact JSON text of a loop's state; `loop` is its path, or the node id of a loop of the parent graph. */
    getRunState: async (id: string, loop?: string, call: CallOptions = {}) =>
      (await send(options, { ...call, operation: operations.getRunState, path: { id }, query: { loop } }))
        .text,
    getRunHistory: async (id: string, query: HistoryQuery = {}, call: CallOptions = {}) =>
      valueOf(
        historyPage,
        await send(options, { ...call, operation: operations.getRunHistory, path: { id }, query }),
      ),
    /** Exact JSON text of the state after an iteration; 0 is the initial state. */
    getRunStateAt: async (id: string, { iteration, ...query }: StateAt, call: CallOptions = {}) =>
      (
        await send(options, {
          ...call,
          operation: operations.getRunState,
          path: { id },
          query: { iteration, ...query },
        })
      ).text,
    getRunDiff: async (id: string, query: DiffQuery, call: CallOptions = {}) =>
      valueOf(
        stateDiff,
        await send(options, { ...call, operation: operations.getRunDiff, path: { id }, query }),
      ),
    /** `created` is false when this Idempotency-Key started the fork before. `statePatchText` is exact JSON text. */
    forkRun: async (id: string, { inputs, statePatchText, ...rest }: ForkRun, call: CallOptions = {}) => {
      const given = texts(rest);
      const statePatch = statePatchText ?? given["statePatch"];
      const body = { ...given, statePatch, inputs: inputsText(inputs) };
      const answer = await send(options, { ...call, operation: operations.forkRun, path: { id }, body });
      return { created: answer.status === 201, run: valueOf(run, answer) };
    },
    /** `resumed` is false when this Idempotency-Key had resumed it before; a resume that is kept is in `run.keptResume`. */
    resumeRun: async (
      id: string,
      { inputs, payloadText, ...rest }: ResumeRun = {},
      call: CallOptions = {},
    ) => {
      const given = texts(rest);
      const body = { ...given, payload: payloadText ?? given["payload"], inputs: inputsText(inputs) };
      const answer = await send(options, { ...call, operation: operations.resumeRun, path: { id }, body });
      return { resumed: answer.status === 202, run: valueOf(run, answer) };
    },
    /** `executing`: a step is still being killed. */
    cancelRun: async (id: string, call: CallOptions = {}) => {
      const answer = await send(options, { ...call, operation: operations.cancelRun, path: { id } });
      return { executing: answer.status === 202, run: valueOf(run, answer) };
    },
    /** Starts a loop over whose checkpoint cannot be trusted. */
    resetRun: async (id: string, call: CallOptions = {}) =>
      valueOf(run, await send(options, { ...call, operation: operations.resetRun, path: { id } })),
    /** `created` is false when this Idempotency-Key started the run before. */
    rerunRun: async (id: string, { inputs, ...rest }: RerunRun = {}, call: CallOptions = {}) => {
      const body = { ...texts(rest), inputs: inputsText(inputs) };
      const answer = await send(options, { ...call, operation: operations.rerunRun, path: { id }, body });
      return { created: answer.status === 201, run: valueOf(run, answer) };
    },
    deleteRun: async (id: string, call: CallOptions = {}): Promise<void> => {
      await send(options, { ...call, operation: operations.deleteRun, path: { id } });
    },
  };
}

function serviceCalls(options: ClientOptions) {
  return {
    getStats: async (call: CallOptions = {}) =>
      valueOf(stats, await send(options, { ...call, operation: operations.getStats })),
    getReadiness: async (call: CallOptions = {}) =>
      valueOf(readiness, await send(options, { ...call, operation: operations.getReadiness })),
    getSession: async (call: CallOptions = {}) =>
      valueOf(session, await send(options, { ...call, operation: operations.getSession })),
    /** For browsers: the cookie that the answer sets is what counts. */
    beginSession: async (key: string, call: CallOptions = {}) =>
      valueOf(
        session,
        await send(options, { ...call, operation: operations.beginSession, body: texts({ key }) }),
      ),
    endSession: async (call: CallOptions = {}): Promise<void> => {
      await send(options, { ...call, operation: operations.endSession });
    },
    listWorkers: async (call: CallOptions = {}) =>
      valueOf(workerList, await send(options, { ...call, operation: operations.listWorkers })),
    getSize: async (call: CallOptions = {}) =>
      valueOf(storeSize, await send(options, { ...call, operation: operations.getSize })),
    listAudit: async (query: AuditQuery = {}, call: CallOptions = {}) =>
      valueOf(auditPage, await send(options, { ...call, operation: operations.listAudit, query })),
  };
}
