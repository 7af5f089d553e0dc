import { isDeepStrictEqual } from "node:util";
import { ApiError, type Client, type RegisterFlowBody } from "@agentflow/contract";
import { defaultRegistry, type Finding, type Ir, type Layout } from "@agentflow/core";
import { parseFlow, roundTrip } from "@agentflow/dsl";
import { bundleLimits, lintFlow, type FlowSubmission } from "@agentflow/engine";
import type { Config } from "@agentflow/host";
import { readConfigOrFail } from "../configuration.ts";
import { connect } from "../connect.ts";
import { say, sayJson } from "../console/out.ts";
import { CommandError, EXIT } from "../exit.ts";
import { findingsIn, showFindings, type Findings } from "../flow/findings.ts";
import { isFile, readIrFile } from "../flow/json-file.ts";
import { readFolder } from "../flow/read-folder.ts";
import { nameOf, registrationOf, submissionOf, takeApart, type FlowFolder } from "../flow/submission.ts";

type JsonOption = { json?: true };

/** Lints a flow folder, or a file of JSON, without a server, by the code the API lints with (2.5). */
export async function lintCommand(dir: string, { json = false }: { json?: boolean }): Promise<void> {
  const found = (await isFile(dir))
    ? lintSubmission(
        { source: null, irText: await readIrFile(dir), files: new Map() },
        readConfigOrFail("lint"),
      )
    : lintFolder(takeApart(await readFolder(dir)), readConfigOrFail("lint"));
  showFindings(found, json);
  if (found.errors.length > 0) process.exitCode = EXIT.failed;
  else if (!json) say(found.warnings.length === 0 ? "nothing to mend" : "no errors");
}

type LintConfig = Pick<Config<"lint">, "maxIterations" | "maxTimeoutMs" | "maxBundleBytes"> &
  Partial<Pick<Config<"lint">, "maxRepeatIterations">>;

/** Everything lint says about a folder. */
export function lintFolder(folder: FlowFolder, config: LintConfig): Findings {
  const { source } = folder;
  if (source === null) return { errors: noSource(), warnings: [] };
  return lintSubmission(submissionOf({ ...folder, source }), config);
}

function lintSubmission(submission: FlowSubmission, config: LintConfig): Findings {
  const linted = lintFlow(
    {
      registry: defaultRegistry,
      caps: config,
      bundleLimits: { ...bundleLimits, maxBytes: config.maxBundleBytes },
      parseSource: (text, files) => parseFlow({ text, files }),
      unwritable,
    },
    submission,
  );
  if (linted.kind === "bundle_refused") throw new CommandError(linted.problem.message);
  return linted;
}

/** The parser's own words for a file that is not there (D01). */
function noSource(): readonly Finding[] {
  return parseFlow({ text: null, files: { has: () => false } }).findings;
}

/** Why an IR cannot be kept as it is (F-18), as the API asks. */
function unwritable(ir: Ir): { readonly node: string | null; readonly message: string } | null {
  const written = roundTrip(ir);
  return written.ok ? null : written;
}

/** Registers a flow folder, or the flow in a file of JSON, as a version of a flow. */
export async function pushCommand(
  dir: string,
  { json, name: given }: JsonOption & { name?: string },
): Promise<void> {
  const submitted = await registrationIn(dir, given);
  if (submitted === null) {
    showFindings({ errors: noSource(), warnings: [] }, json ?? false);
    process.exitCode = EXIT.failed;
    return;
  }
  try {
    const client = connect();
    const registered = await client.registerFlow(submitted);
    if (!registered.created && submitted.layout) await pushLayout(client, submitted.name, submitted.layout);
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

/** The body of the registration; null for a folder without a flow file. */
async function registrationIn(path: string, given: string | undefined): Promise<RegisterFlowBody | null> {
  if (await isFile(path)) {
    const ir: unknown = JSON.parse(await readIrFile(path));
    return { name: nameOf(path.replace(/\.json$/i, ""), given), ir };
  }
  const name = nameOf(path, given);
  const folder = takeApart(await readFolder(path));
  return folder.source === null ? null : registrationOf(name, { ...folder, source: folder.source });
}

/** Positions alone make no version (F-20): of an unchanged flow they are saved on the newest one. */
async function pushLayout(client: Client, name: string, layout: Layout): Promise<void> {
  const { layout: stored, layoutTag } = await client.getFlow(name);
  if (stored !== null && isDeepStrictEqual(stored, layout)) return;
  await client.saveLayout(name, layout, layoutTag);
}
