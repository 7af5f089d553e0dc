import { registerFlowBody } from "@agentflow/contract";
import { isWellFormed, readWhileOperation, utf8Length } from "@agentflow/core";
import type { BundleLimits, BundleProblem, RegisterFlowRequest } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import { refusalOf, refused, shown } from "../problem.ts";
import type { Read, Refusal } from "../problem.ts";
import { readJsonBody } from "./json-body.ts";

type Files = RegisterFlowRequest["files"];
type FileBody =
  | string
  | { readonly text: string; readonly executable?: boolean | undefined }
  | { readonly base64: string; readonly executable?: boolean | undefined };

/** A submitted flow: `ir` (also of an operation, OP-6) and `layout` as exact texts, each at most `maxBytes` long, files decoded. */
export function readFlowBody(request: FastifyRequest, maxBytes: number): Read<RegisterFlowRequest> {
  const body = readJsonBody(request, { schema: registerFlowBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  for (const field of ["ir", "operation", "layout"]) {
    const bytes = utf8Length(texts.get(field) ?? "");
    if (bytes > maxBytes)
      return refused("body_too_large", `$.${field}: ${bytes} bytes, more than the limit of ${maxBytes}.`, {
        limit: maxBytes,
      });
  }
  const files = decodeFiles(value.files ?? {});
  if (!files.ok) return files;
  const operation = texts.get("operation");
  const made = operation === undefined ? null : readWhileOperation(operation);
  if (made?.ok === false) return { ok: false, refusal: refusalOf([made.failure]) };
  return {
    ok: true,
    value: {
      name: value.name,
      source: value.source ?? null,
      irText: made ? JSON.stringify(made.ir) : (texts.get("ir") ?? null),
      files: files.value,
      layoutText: texts.get("layout") ?? null,
      baseVersion: value.baseVersion ?? null,
    },
  };
}

function decodeFiles(bodies: Readonly<Record<string, FileBody>>): Read<Files> {
  const files = new Map<string, { bytes: Uint8Array; executable: boolean }>();
  for (const [path, body] of Object.entries(bodies)) {
    const file = typeof body === "string" ? { text: body } : body;
    const bytes = "text" in file ? textBytes(file.text) : base64Bytes(file.base64);
    if (bytes === null) {
      const form = "text" in file ? "holds half a surrogate pair; send it as base64" : "is not base64";
      return refused("request_invalid", `The file ${shown(path)} ${form}.`, { path });
    }
    files.set(path, { bytes, executable: file.executable ?? false });
  }
  return { ok: true, value: files };
}

function textBytes(text: string): Uint8Array | null {
  return isWellFormed(text) ? Buffer.from(text, "utf8") : null;
}

/** Node's decoder skips what is no base64, so the way back must give the same text. */
function base64Bytes(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

/** A folder that is no bundle under these limits (S-20). */
export function bundleRefusal({ kind, path, message }: BundleProblem, limits: BundleLimits): Refusal {
  const limit = { too_large: limits.maxBytes, too_many_files: limits.maxFiles }[kind as string];
  const details = limit === undefined ? { problem: kind, path } : { problem: kind, limit };
  return { code: limit === undefined ? "request_invalid" : "body_too_large", message, details };
}
