import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client, type RunAnswer } from "@agentflow/contract";
import { createEmptyDatabase } from "@agentflow/store/testing";
import { AGENTFLOW, Command } from "../support/cli.ts";
import { until } from "../support/until.ts";

export type Service = {
  readonly url: string;
  readonly client: Client;
  readonly databaseUrl: string;
  /** A folder of the test's own. */
  readonly folder: string;
  start(flow: string, input: unknown, tags?: readonly string[]): Promise<string>;
  /** Waits until the run rests in the status. */
  reaches(id: string, status: RunAnswer["status"]): Promise<RunAnswer>;
  stop(): Promise<void>;
};

/** `agentflow dev` as an operator starts it, on a database of its own. */
export async function startService(postgresUrl: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "agentflow web "));
  chmodSync(folder, 0o755);
  const database = await createEmptyDatabase(postgresUrl);
  const command = new Command(
    process.execPath,
    [AGENTFLOW, "dev", "--json", "--port", "0", "--data", join(folder, "data"), "--queue", "postgres"],
    { DATABASE_URL: database.url, AGENTFLOW_MAX_ITERATIONS: "100000" },
  );
  const [line] = await command.says(/^.*\n/);
  const { url } = JSON.parse(line) as { url: string };
  const client = createClient({ url });
  return {
    url,
    client,
    databaseUrl: database.url,
    folder,
    start: async (flow, input, tags = []) =>
      (await client.startRun({ flow, inputs: { start: input }, tags: [...tags] })).run.id,
    reaches: (id, status) =>
      until(`run ${id} is ${status}`, async () => {
        const run = await client.getRun(id);
        return run.status === status && run;
      }),
    stop: async () => {
      await command.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
