import { basename, resolve } from "node:path";
import { flowName, type RegisterFlowBody } from "@agentflow/contract";
import { SOURCE_FILE, type BundleEntry, type FlowSubmission } from "@agentflow/engine";
import type { Layout } from "@agentflow/core";
import { CommandError, usageError } from "../exit.ts";
import { LAYOUT_FILE, readLayout } from "./layout-file.ts";

/** A flow folder taken apart: `source` is null when it has no workspace.flow.js. */
export type FlowFolder = {
  readonly source: string | null;
  readonly layout: Layout | null;
  readonly files: readonly BundleEntry[];
};

/** Tells source and layout from the rest of the bundle (F-1). */
export function takeApart(entries: readonly BundleEntry[]): FlowFolder {
  const own = new Map(entries.map((entry) => [entry.path, entry]));
  const source = own.get(SOURCE_FILE);
  const layout = own.get(LAYOUT_FILE);
  return {
    source: source === undefined ? null : textOf(SOURCE_FILE, source.bytes),
    layout: layout === undefined ? null : readLayout(textOf(LAYOUT_FILE, layout.bytes)),
    files: entries.filter(({ path }) => path !== SOURCE_FILE && path !== LAYOUT_FILE),
  };
}

/** What lint looks at, the same that the API makes of the body below. */
export function submissionOf(folder: FlowFolder & { readonly source: string }): FlowSubmission {
  return {
    source: folder.source,
    irText: null,
    files: new Map(folder.files.map(({ path, bytes, executable }) => [path, { bytes, executable }])),
  };
}

/** The body of POST /v1/flows. */
export function registrationOf(
  name: string,
  folder: FlowFolder & { readonly source: string },
): RegisterFlowBody {
  const files = folder.files.map(({ path, bytes, executable }) => [path, { ...content(bytes), executable }]);
  return {
    name,
    source: folder.source,
    files: Object.fromEntries(files),
    ...(folder.layout === null ? {} : { layout: folder.layout }),
  };
}

/** Names a flow after its folder unless a name is given (F-29). */
export function nameOf(folder: string, given: string | undefined): string {
  const name = given ?? basename(resolve(folder));
  const checked = flowName.safeParse(name);
  if (checked.success) return name;
  const problem = checked.error.issues[0]?.message ?? "is no name";
  throw usageError(
    `the flow's name ${JSON.stringify(name)} ${problem}${given === undefined ? "; give one with --name" : ""}`,
  );
}

/** Text goes as text, so that a stored call can be read; what is no UTF-8 goes as base64. */
function content(bytes: Uint8Array): { text: string } | { base64: string } {
  const text = utf8(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString("base64") } : { text };
}

/** A mark at the beginning is kept: the bundle has the bytes of the folder. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function textOf(name: string, bytes: Uint8Array): string {
  const text = utf8(bytes);
  if (text === null) throw new CommandError(`${name} is not UTF-8 text`);
  return text;
}
