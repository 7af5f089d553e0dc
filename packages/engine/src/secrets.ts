import { failure, secretName } from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import type { StepContext } from "./step-context.ts";

/** Slot → name and value of the secret wired to it. */
export type Secrets = ReadonlyMap<string, { readonly name: string; readonly value: string }>;

/** The secrets of a command: slots wired to a `provide.password` of its own graph, whatever their text says. */
export function secretsOf(
  context: StepContext,
  id: string,
  inputs: SlotValues,
): { readonly ok: true; readonly secrets: Secrets } | { readonly ok: false; readonly failure: Failure } {
  const secrets = new Map<string, { name: string; value: string }>();
  for (const slot of context.plan.secretSlots(id)) {
    const name = secretName(inputs.get(slot) ?? "");
    const value = context.deps.resources.secret(name);
    if (value === null || value === "") {
      const message = `The secret ${name} is not there. List it in AGENTFLOW_SECRETS and set it in the environment of every worker.`;
      return { ok: false, failure: failure("config_invalid", message) };
    }
    secrets.set(slot, { name, value });
  }
  return { ok: true, secrets };
}

/** What a command or a function leaves that may show a secret. */
type Printed = { readonly stderr?: string; readonly stdout?: Uint8Array; readonly message?: string };

/** The outcome with every secret in it replaced by its name, so that none is stored or shown. */
export function maskSecrets<Outcome extends object & Printed>(outcome: Outcome, secrets: Secrets): Outcome {
  if (secrets.size === 0) return outcome;
  const masked = (text: string): string =>
    [...secrets.values()].reduce((kept, { name, value }) => kept.replaceAll(value, `[secret ${name}]`), text);
  const bytes = (stdout: Uint8Array): Uint8Array => {
    // latin1 keeps every byte as it is, also those that are no UTF-8.
    const text = Buffer.from(stdout).toString("latin1");
    const found = [...secrets.values()].reduce((kept, { name, value }) => {
      const asBytes = Buffer.from(value).toString("latin1");
      return kept.replaceAll(asBytes, Buffer.from(`[secret ${name}]`).toString("latin1"));
    }, text);
    return Buffer.from(found, "latin1");
  };
  return {
    ...outcome,
    ...(outcome.stderr === undefined ? {} : { stderr: masked(outcome.stderr) }),
    ...(outcome.stdout === undefined ? {} : { stdout: bytes(outcome.stdout) }),
    ...(outcome.message === undefined ? {} : { message: masked(outcome.message) }),
  };
}
