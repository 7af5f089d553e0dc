import { createClient, type Client } from "@agentflow/contract";
import { readConfigOrFail } from "./configuration.ts";

/** A client of the server named by AGENTFLOW_URL, with the key of AGENTFLOW_API_KEY (F-29). */
export function connect(): Client {
  const { url, apiKey } = readConfigOrFail("client");
  return createClient({ url, apiKey });
}
