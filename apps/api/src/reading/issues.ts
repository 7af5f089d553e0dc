import { quote } from "@agentflow/core";
import type { z } from "zod";
import { shown } from "../problem.ts";
import type { Refusal } from "../problem.ts";

/** What a schema found wrong with a part of the request, as one refusal that names every field. */
export function issuesRefusal(part: "body" | "query" | "header", error: z.ZodError): Refusal {
  const issues = error.issues.flatMap(sentences);
  const message = `The ${part} is refused: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`;
  return { code: "request_invalid", message, details: { issues } };
}

type Issue = { readonly path: string; readonly message: string };

function sentences(issue: z.core.$ZodIssue): readonly Issue[] {
  const path = pathText(issue.path);
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: path + stepOf(key), message: "unknown field" }));
}

function pathText(path: readonly PropertyKey[]): string {
  return `$${path.map((key) => (typeof key === "number" ? `[${key}]` : stepOf(String(key)))).join("")}`;
}

/** A member of a JSON path: `.name` or `["odd name"]`. */
export function stepOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key.length <= 80
    ? `.${key}`
    : `[${key.length <= 80 ? quote(key) : shown(key)}]`;
}
