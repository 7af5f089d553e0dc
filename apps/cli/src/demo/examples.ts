import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@agentflow/contract";
import { SOURCE_FILE } from "@agentflow/engine";
import { readFolder } from "../flow/read-folder.ts";
import { nameOf, registrationOf, takeApart } from "../flow/submission.ts";

/** The same from src/ and from dist/. */
const EXAMPLES = fileURLToPath(new URL("../../../../examples", import.meta.url));

/** The example that the demo runs, and what a person in a hurry answers when it asks. */
export const MAIN_EXAMPLE = "import-contacts";
export const ANSWER = { accept: "skip" };

/** Names of all flow folders that come with the project. */
export function exampleNames(): string[] {
  return readdirSync(EXAMPLES)
    .filter((name) => existsSync(join(EXAMPLES, name, SOURCE_FILE)))
    .toSorted();
}

/** Registers an example as a person would; throws ApiError with the findings when it is refused. */
export async function pushExample(client: Client, name: string) {
  const folder = takeApart(await readFolder(join(EXAMPLES, name)));
  if (folder.source === null) throw new Error(`${name} has no ${SOURCE_FILE}`);
  return client.registerFlow(registrationOf(nameOf(name, name), { ...folder, source: folder.source }));
}
