import { compareEdges, compareText, irSchema, lint, mergeFindings, scan } from "@agentflow/core";
import type { Finding, Ir } from "@agentflow/core";
import { makeBundle } from "./bundle/index.ts";
import type { Bundle, BundleProblem } from "./bundle/index.ts";
import type { RequestDeps } from "./request-deps.ts";

/** Name of the DSL file inside a flow folder (F-1). */
export const SOURCE_FILE = "workspace.flow.js";

/** A flow as it comes in: exactly one of source text and IR text, and the other files of its folder. */
export type FlowSubmission = {
  readonly source: string | null;
  readonly irText: string | null;
  readonly files: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly executable: boolean }>;
};

const sourceTwice: BundleProblem = {
  kind: "path_clash",
  path: SOURCE_FILE,
  message: `The source came twice: leave ${SOURCE_FILE} out of the files, it is made of \`source\`.`,
};

/** Everything known about a submitted flow; `ir` is null when it could not be read at all. */
export type ReadFlow = {
  readonly ir: Ir | null;
  readonly findings: readonly Finding[];
  readonly bundle: Bundle;
};

export type ReadFlowDeps = Pick<
  RequestDeps,
  "registry" | "caps" | "parseSource" | "unwritable" | "bundleLimits"
>;

/** Parses and lints a submission; every finding at once, stored nowhere (2.5). A folder that is no bundle is refused first (S-20). */
export function readFlow(
  deps: ReadFlowDeps,
  submission: FlowSubmission,
): { readonly ok: true; readonly flow: ReadFlow } | { readonly ok: false; readonly problem: BundleProblem } {
  const files = new Map(submission.files);
  if (submission.source !== null) {
    if (files.has(SOURCE_FILE)) return { ok: false, problem: sourceTwice };
    files.set(SOURCE_FILE, { bytes: new TextEncoder().encode(submission.source), executable: false });
  }
  const entries = [...files].map(([path, file]) => ({ path, ...file }));
  const bundled = makeBundle(entries, deps.bundleLimits);
  if (!bundled.ok) return bundled;
  const parsed =
    submission.source === null ? readIr(submission.irText ?? "") : parse(deps, submission.source, files);
  const { ir, positions } = parsed;
  const linted = ir === null ? [] : lint(ir, { ...deps, positions, hasFile: (path) => files.has(path) });
  const isClean = !linted.some(({ severity }) => severity === "error");
  const lost = submission.source === null && ir !== null && isClean ? deps.unwritable?.(ir) : null;
  if (lost) linted.push({ ...finding("D06", null, lost.message), node: lost.node });
  return {
    ok: true,
    flow: { ir, findings: mergeFindings(parsed.findings, linted, parsed.fields), bundle: bundled.bundle },
  };
}

type Parsed = ReturnType<RequestDeps["parseSource"]>;

function parse(
  deps: Pick<RequestDeps, "parseSource">,
  source: string,
  files: ReadonlyMap<string, { readonly bytes: Uint8Array }>,
): Parsed {
  const decoder = new TextDecoder();
  return deps.parseSource(source, {
    has: (path) => files.has(path),
    read: (path) => {
      const file = files.get(path);
      return file ? decoder.decode(file.bytes) : null;
    },
  });
}

/** Reads an IR that came as JSON (F-19); what the strict schema refuses is D06 with the place in it. */
function readIr(text: string): Parsed {
  const scanned = scan(text);
  if (!scanned.ok)
    return {
      ir: null,
      findings: [finding("D01", null, `The IR is not JSON: ${scanned.error.message}`)],
      positions: new Map(),
      fields: new Map(),
    };
  if (hasPrototypeKey(scanned.text)) {
    const findings = [finding("D06", null, "The IR has a key __proto__, which no id or slot may have.")];
    return { ir: null, findings, positions: new Map(), fields: new Map() };
  }
  const read = irSchema.safeParse(JSON.parse(scanned.text));
  if (read.success)
    return { ir: normalised(read.data), findings: [], positions: new Map(), fields: new Map() };
  const findings = read.error.issues.map((issue) =>
    finding("D06", issue.path.join("."), `The IR is not valid: ${issue.message}.`),
  );
  return { ir: null, findings, positions: new Map(), fields: new Map() };
}

/** Zod drops such a key without a word. */
function hasPrototypeKey(text: string): boolean {
  let found = false;
  JSON.parse(text, (key, value: unknown) => {
    found ||= key === "__proto__";
    return value;
  });
  return found;
}

/** Edges unique and sorted, members sorted: the form every stored IR has (F-17). */
function normalised(ir: Ir): Ir {
  const edges = ir.edges
    .toSorted(compareEdges)
    .filter((edge, index, sorted) => index === 0 || compareEdges(sorted[index - 1]!, edge) !== 0);
  const subflows = Object.entries(ir.subflows).map(([id, subflow]) => {
    return [id, { ...subflow, members: [...new Set(subflow.members)].sort(compareText) }] as const;
  });
  return { ...ir, edges, subflows: Object.fromEntries(subflows) };
}

function finding(code: string, field: string | null, message: string): Finding {
  return { code, severity: "error", node: null, field, line: null, column: null, message };
}
