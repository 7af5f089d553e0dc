import { bulk, bulkPage, bulkPreview, bulkRunPage } from "./bulk.ts";
import type { BulkBody } from "./bulk.ts";
import { inputsText, send, texts, valueOf } from "./client-call.ts";
import type { CallOptions, ClientOptions, InputValues } from "./client-call.ts";
import { operations } from "./operations.ts";

type Page = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** `payloadText` is exact JSON text, in the place of `payload`. */
export type StartBulk = Omit<BulkBody, "inputs" | "preview"> & {
  readonly inputs?: InputValues | undefined;
  readonly payloadText?: string | undefined;
};

/** Calls about many runs at once. */
export function bulkCalls(options: ClientOptions) {
  const post = (given: StartBulk, preview: boolean, call: CallOptions) => {
    const { inputs, payloadText, ...rest } = given;
    const fields = texts({ ...rest, ...(preview && { preview }) });
    const body = { ...fields, payload: payloadText ?? fields["payload"], inputs: inputsText(inputs) };
    return send(options, { ...call, operation: operations.startBulk, body });
  };
  return {
    /** How many runs an action would be about, and some of them; nothing is done. */
    previewBulk: async (given: StartBulk, call: CallOptions = {}) =>
      valueOf(bulkPreview, await post(given, true, call)),
    /** `created` is false when this Idempotency-Key had started the action before. */
    startBulk: async (given: StartBulk, call: CallOptions = {}) => {
      const answer = await post(given, false, call);
      return { created: answer.status === 202, bulk: valueOf(bulk, answer) };
    },
    listBulk: async (query: Page = {}, call: CallOptions = {}) =>
      valueOf(bulkPage, await send(options, { ...call, operation: operations.listBulk, query })),
    getBulk: async (id: string, call: CallOptions = {}) =>
      valueOf(bulk, await send(options, { ...call, operation: operations.getBulk, path: { bulk: id } })),
    listBulkRuns: async (
      id: string,
      query: Page & { readonly outcome?: string | undefined } = {},
      call: CallOptions = {},
    ) =>
      valueOf(
        bulkRunPage,
        await send(options, { ...call, operation: operations.listBulkRuns, path: { bulk: id }, query }),
      ),
    abortBulk: async (id: string, call: CallOptions = {}) =>
      valueOf(bulk, await send(options, { ...call, operation: operations.abortBulk, path: { bulk: id } })),
  };
}
