import { finding } from "@agentflow/contract";
import type { Finding } from "@agentflow/core";
import { SOURCE_FILE } from "@agentflow/engine";
import { sayJson, tell } from "../console/out.ts";
import { counted } from "../console/text.ts";

export type Findings = { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] };

/** Shows what lint found: on stderr for people, on stdout as JSON (F-29). */
export function showFindings({ errors, warnings }: Findings, json: boolean): void {
  if (json) return sayJson({ errors, warnings });
  for (const one of [...errors, ...warnings]) tell(findingLine(one));
  if (errors.length + warnings.length > 0)
    tell(`${counted(errors.length, "error")}, ${counted(warnings.length, "warning")}`);
}

/** One finding on one line, with the place in front as editors and terminals know it. */
export function findingLine({ code, severity, node, field, line, column, message }: Finding): string {
  const place = line === null ? SOURCE_FILE : `${SOURCE_FILE}:${line}:${column ?? 1}`;
  const where = [node, field].filter((part) => part !== null).join(".");
  return `${place}: ${severity} ${code}${where === "" ? "" : ` (${where})`}: ${message}`;
}

/** The findings in the details of a refused registration; null when there are none in it. */
export function findingsIn(details: Readonly<Record<string, unknown>>): Findings | null {
  const read = finding.array().safeParse(details["findings"]);
  if (!read.success) return null;
  return {
    errors: read.data.filter(({ severity }) => severity === "error"),
    warnings: read.data.filter(({ severity }) => severity === "warning"),
  };
}
