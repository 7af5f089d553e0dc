import { isDeepStrictEqual } from "node:util";
import { ApiError, type Client } from "@agentflow/contract";
import { defaultRegistry, type Finding, type Layout } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import { bundleLimits, lintFlow } from "@agentflow/engine";
import type { Config } from "@agentflow/host";
import { readConfigOrFail } from "../configuration.ts";
import { connect } from "../connect.ts";
import { say, sayJson } from "../console/out.ts";
import { CommandError, EXIT } from "../exit.ts";
import { findingsIn, showFindings, type Findings } from "../flow/findings.ts";
import { readFolder } from "../flow/read-folder.ts";
import { nameOf, registrationOf, submissionOf, takeApart, type FlowFolder } from "../flow/submission.ts";

type JsonOption = { json?: true };

/** Lints a flow folder without a server, by the code the API lints with (2.5). */
export async function lintCommand(dir: string, { json = false }: { json?: boolean }): Promise<void> {
  const found = lintFolder(takeApart(await readFolder(dir)), readConfigOrFail("lint"));
  showFindings(found, json);
  if (found.errors.length > 0) process.exitCode = EXIT.failed;
  else if (!json) say(found.warnings.length === 0 ? "nothing to mend" : "no errors");
}

/** Everything lint says about a folder. */
export function lintFolder(
  folder: FlowFolder,
  config: Pick<Config<"lint">, "maxIterations" | "maxTimeoutMs" | "maxBundleBytes">,
): Findings {
  const { source } = folder;
  if (source === null) return { errors: noSource(), warnings: [] };
  const linted = lintFlow(
    {
      registry: defaultRegistry,
      caps: config,
      bundleLimits: { ...bundleLimits, maxBytes: config.maxBundleBytes },
      parseSource: (text, files) => parseFlow({ text, files }),
    },
    submissionOf({ ...folder, source }),
  );
  if (linted.kind === "bundle_refused") throw new CommandError(linted.problem.message);
  return linted;
}

/** The parser's own words for a file that is not there (D01). */
function noSource(): readonly Finding[] {
  return parseFlow({ text: null, files: { has: () => false } }).findings;
}

/** Registers a flow folder as a version of a flow. */
export async function pushCommand(
  dir: string,
  { json, name: given }: JsonOption & { name?: string },
): Promise<void> {
  const name = nameOf(dir, given);
  const folder = takeApart(await readFolder(dir));
  const { source } = folder;
  if (source === null) {
    showFindings({ errors: noSource(), warnings: [] }, json ?? false);
    process.exitCode = EXIT.failed;
    return;
  }
  try {
    const client = connect();
    const registered = await client.registerFlow(registrationOf(name, { ...folder, source }));
    if (!registered.created && folder.layout !== null) await pushLayout(client, name, folder.layout);
    if (json) return sayJson(registered);
    showFindings({ errors: [], warnings: registered.warnings }, false);
    const { flow, version, created } = registered;
    say(created ? `${flow} version ${version}` : `${flow} version ${version}, unchanged`);
  } catch (error) {
    const found = error instanceof ApiError ? findingsIn(error.details) : null;
    if (found === null) throw error;
    showFindings(found, json ?? false);
    process.exitCode = EXIT.failed;
  }
}

/** Positions alone make no version (F-20): of an unchanged flow they are saved on the newest one. */
async function pushLayout(client: Client, name: string, layout: Layout): Promise<void> {
  const { layout: stored, layoutTag } = await client.getFlow(name);
  if (stored !== null && isDeepStrictEqual(stored, layout)) return;
  await client.saveLayout(name, layout, layoutTag);
}
