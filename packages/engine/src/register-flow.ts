import { canonical } from "@agentflow/core";
import type { Finding } from "@agentflow/core";
import { packBundle } from "./bundle/index.ts";
import type { BundleProblem } from "./bundle/index.ts";
import { readFlow } from "./read-flow.ts";
import type { FlowSubmission, ReadFlowDeps } from "./read-flow.ts";
import type { RequestDeps } from "./request-deps.ts";

export type RegisterFlowRequest = FlowSubmission & {
  readonly name: string;
  /** Positions as exact JSON text; they are not part of the version's identity. */
  readonly layoutText: string | null;
  readonly baseVersion: number | null;
};

export type RegisterFlowResult =
  | {
      readonly kind: "created" | "unchanged";
      readonly flow: string;
      readonly version: number;
      readonly digest: string;
      readonly warnings: readonly Finding[];
    }
  /** Lint errors: nothing was stored. */
  | { readonly kind: "invalid"; readonly findings: readonly Finding[] }
  | { readonly kind: "base_outdated"; readonly newest: number }
  | { readonly kind: "bundle_refused"; readonly problem: BundleProblem };

/** Registers a flow version, or finds that the newest one is the same (F-2, F-19). Any lint error stores nothing. */
export async function registerFlow(
  deps: RequestDeps,
  request: RegisterFlowRequest,
): Promise<RegisterFlowResult> {
  const read = readFlow(deps, request);
  if (!read.ok) return { kind: "bundle_refused", problem: read.problem };
  const { ir, findings, bundle } = read.flow;
  const errors = findings.filter(({ severity }) => severity === "error");
  if (ir === null || errors.length > 0) return { kind: "invalid", findings };

  const irText = JSON.stringify(ir);
  const digest = deps.sha256(
    canonical(
      JSON.stringify({ source: request.source, ir, order: Object.keys(ir.nodes), bundle: bundle.digest }),
    ),
  );
  const outcome = await deps.store.registerFlow({
    id: deps.newId(),
    flow: request.name,
    source: request.source,
    irText,
    layout: request.layoutText,
    digest,
    bundle: { digest: bundle.digest, archive: await packBundle(bundle), files: bundle.entries.length },
    warnings: JSON.stringify(findings),
    baseVersion: request.baseVersion,
  });
  if (outcome.kind === "base_outdated") return outcome;
  return { kind: outcome.kind, flow: request.name, version: outcome.version, digest, warnings: findings };
}

/** Everything lint has to say about a submission; stores nothing. */
export function lintFlow(
  deps: ReadFlowDeps,
  submission: FlowSubmission,
):
  | { readonly kind: "linted"; readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] }
  | { readonly kind: "bundle_refused"; readonly problem: BundleProblem } {
  const read = readFlow(deps, submission);
  if (!read.ok) return { kind: "bundle_refused", problem: read.problem };
  const { findings } = read.flow;
  return {
    kind: "linted",
    errors: findings.filter(({ severity }) => severity === "error"),
    warnings: findings.filter(({ severity }) => severity === "warning"),
  };
}
