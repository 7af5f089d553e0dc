import { failure, inputType, mergeReferences, readReferences, referencesText } from "@agentflow/core";
import type { ContextReferences, SlotValues } from "@agentflow/core";
import type { ContextContent } from "../ports/context.ts";
import { failed } from "../step-context.ts";
import type { StepContext, Stop } from "../step-context.ts";
import { seal, unseal } from "./seal.ts";

/** Content of a context; null for none. */
export type Content = { readonly kind: "content"; readonly content: ContextContent | null };

/** Resolved contexts are for prompts and tools, not for bulk data. UTF-16 units of the JSON text. */
const MAX_CONTENT_UNITS = 8_388_608;

/**
 * What the context slots of a node stand for. The catalogue is asked once per start or resume of the run; every other step, worker
 * and attempt reads the encrypted row (L-48, L-49).
 */
export async function contentFor(
  context: StepContext,
  id: string,
  inputs: SlotValues,
): Promise<Content | Stop> {
  const { ir } = context.plan.version;
  const slots = [...inputs].filter(([slot]) => inputType(ir, context.plan.registry, id, slot) === "context");
  const given = slots.map(([, text]) => readReferences(text));
  const parts = given.filter((part) => part !== null);
  const references = mergeReferences(parts);
  if (parts.length < given.length)
    return invalid("What is wired to it as a context is none. Wire a context.* node.");
  if (references === null) return invalid("Its contexts name two workspaces, or one with two accesses.");
  const text = referencesText(references);
  if (text === "{}") return { kind: "content", content: null };
  const known = context.contents.get(text);
  if (known) return { kind: "content", content: known };
  const found = (await stored(context, text)) ?? (await resolve(context, references, text));
  if (found.kind === "content" && found.content) context.contents.set(text, found.content);
  return found;
}

async function stored(context: StepContext, text: string): Promise<Content | Stop | null> {
  const { deps, claim } = context;
  const row = await deps.store.context(claim.runId, deps.sha256(text));
  if (row === null) return null;
  const key = deps.resources.secretKey;
  const opened = key === null ? null : unseal(key, [claim.runId, text], row);
  if (opened === null)
    return invalid(
      "The run's context cannot be decrypted by this worker. Give all workers the same AGENTFLOW_SECRET_KEY.",
    );
  return { kind: "content", content: JSON.parse(opened) as ContextContent };
}

async function resolve(
  context: StepContext,
  references: ContextReferences,
  text: string,
): Promise<Content | Stop> {
  const { deps, claim } = context;
  const { catalogue, secretKey } = deps.resources;
  if (catalogue === null)
    return invalid("It uses a context, and the operator has set no catalogue. Set AGENTFLOW_CATALOGUE.");
  if (secretKey === null)
    return invalid("It uses a context, which is kept encrypted. Set AGENTFLOW_SECRET_KEY on the workers.");
  const resolved = await catalogue.resolve(references);
  if (!resolved.ok) return invalid(resolved.message);
  const plain = JSON.stringify(resolved.content);
  if (plain.length > MAX_CONTENT_UNITS)
    return invalid("Its context is larger than 8 MiB. Name fewer or shorter texts of the catalogue.");
  const sealed = seal(secretKey, [claim.runId, text], plain);
  const kept = await deps.store.keepContext(claim, deps.sha256(text), sealed);
  return kept.kind === "stored" ? { kind: "content", content: resolved.content } : { kind: "stale" };
}

function invalid(message: string): Stop {
  return failed(failure("config_invalid", message));
}
