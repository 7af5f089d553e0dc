import { registerFlowBody } from "@agentflow/contract";
import { FLOW_MAX_BYTES, isWellFormed, utf8Length } from "@agentflow/core";
import type { BundleProblem, RegisterFlowRequest } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import { refused, shown } from "../problem.ts";
import type { Read, Refusal } from "../problem.ts";
import { readJsonBody } from "./json-body.ts";

type Files = RegisterFlowRequest["files"];
type FileBody =
  | string
  | { readonly text: string; readonly executable?: boolean | undefined }
  | { readonly base64: string; readonly executable?: boolean | undefined };

/** A submitted flow: `ir` and `layout` as exact texts, files decoded. */
export function readFlowBody(request: FastifyRequest): Read<RegisterFlowRequest> {
  const body = readJsonBody(request, { schema: registerFlowBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  for (const field of ["ir", "layout"]) {
    const bytes = utf8Length(texts.get(field) ?? "");
    if (bytes > FLOW_MAX_BYTES)
      return refused(
        "body_too_large",
        `$.${field}: ${bytes} bytes, more than the limit of ${FLOW_MAX_BYTES}.`,
        {
          limit: FLOW_MAX_BYTES,
        },
      );
  }
  const files = decodeFiles(value.files ?? {});
  if (!files.ok) return files;
  return {
    ok: true,
    value: {
      name: value.name,
      source: value.source ?? null,
      irText: texts.get("ir") ?? null,
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

/** A folder that is no bundle (S-20). */
export function bundleRefusal({ kind, path, message }: BundleProblem): Refusal {
  const tooLarge = kind === "too_large" || kind === "too_many_files";
  const details = tooLarge ? { problem: kind, limit: FLOW_MAX_BYTES } : { problem: kind, path };
  return { code: tooLarge ? "body_too_large" : "request_invalid", message, details };
}
