import {
  bulkStoreSuite,
  fleetStoreSuite,
  keyStoreSuite,
  readsSuite,
  requestStoreSuite,
  scheduleStoreSuite,
  webhookStoreSuite,
  workStoreSuite,
} from "@agentflow/engine/testing";
import { inject } from "vitest";
import { storeUnderTest } from "./testing/store-under-test.ts";

const makeStore = () => storeUnderTest(inject("postgresUrl"));

workStoreSuite("Postgres", makeStore);
requestStoreSuite("Postgres", makeStore);
readsSuite("Postgres", makeStore);
fleetStoreSuite("Postgres", makeStore);
bulkStoreSuite("Postgres", makeStore);
scheduleStoreSuite("Postgres", makeStore);
webhookStoreSuite("Postgres", makeStore);
keyStoreSuite("Postgres", makeStore);
