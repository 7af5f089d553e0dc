import { memoryStoreUnderTest } from "./memory-harness.ts";
import { bulkStoreSuite } from "./suites/bulk-suite.ts";
import { fleetStoreSuite } from "./suites/fleet-suite.ts";
import { keyStoreSuite } from "./suites/key-suite.ts";
import { readsSuite } from "./suites/read-suite.ts";
import { requestStoreSuite } from "./suites/request-suite.ts";
import { scheduleStoreSuite } from "./suites/schedule-suite.ts";
import { webhookStoreSuite } from "./suites/webhook-suite.ts";
import { workStoreSuite } from "./suites/work-suite.ts";

workStoreSuite("memory", memoryStoreUnderTest);
requestStoreSuite("memory", memoryStoreUnderTest);
readsSuite("memory", memoryStoreUnderTest);
fleetStoreSuite("memory", memoryStoreUnderTest);
bulkStoreSuite("memory", memoryStoreUnderTest);
scheduleStoreSuite("memory", memoryStoreUnderTest);
webhookStoreSuite("memory", memoryStoreUnderTest);
keyStoreSuite("memory", memoryStoreUnderTest);
