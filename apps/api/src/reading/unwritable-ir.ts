import type { Ir } from "@agentflow/core";
import { roundTrip } from "@agentflow/dsl";

/** Why a submitted IR could not be given back as a flow file, or null: what is registered can be printed and read again (F-18). */
export function unwritableIr(ir: Ir): { readonly node: string | null; readonly message: string } | null {
  const written = roundTrip(ir);
  return written.ok ? null : { node: written.node, message: written.message };
}
