import { bulkOperations } from "./bulk-operations.ts";
import { flowOperations } from "./flow-operations.ts";
import { fleetOperations } from "./fleet-operations.ts";
import { observedOperations } from "./observed-operations.ts";
import type { Operation } from "./operation.ts";
import { runOperations } from "./run-operations.ts";
import { scheduleOperations } from "./schedule-operations.ts";
import { serviceOperations } from "./service-operations.ts";
import { webhookOperations } from "./webhook-operations.ts";
import { sessionOperations } from "./session-operations.ts";

/** Every call of the API (3.4): the server's routes, the client and the OpenAPI document are made from it. */
export const operations = {
  ...flowOperations,
  ...runOperations,
  ...bulkOperations,
  ...scheduleOperations,
  ...webhookOperations,
  ...observedOperations,
  ...serviceOperations,
  ...fleetOperations,
  ...sessionOperations,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
