import { ownEntry, quote, readOperation } from "@agentflow/core";
import type { Ir } from "@agentflow/core";
import { jsonLiteral, objectLiteral, stringLiteral, variable } from "./text.ts";

/** `action(...)`, `prompt(...)` or `subAgent(...)` for the stored operation of a loop; text that is none becomes `null`. */
export function operationCall(ir: Ir, text: string): string {
  const read = readOperation(text);
  if (!read.ok) return "null";
  const { operation } = read;
  const { kind, name } = operation;
  switch (kind) {
    case "action": {
      const called = ownEntry(ir.subflows, name) ? variable(name) : stringLiteral(name);
      return call(kind, [called, ...unlessEmpty(operation.params)]);
    }
    case "prompt":
      return call(kind, [stringLiteral(name), ...unlessEmpty(operation.templateParameters)]);
    case "subAgent": {
      const options = [
        ...unlessEmpty(operation.templateParameters).map((value) => ["templateParameters", value] as const),
        ...(operation.context.length > 0
          ? [["context", jsonLiteral(`[${operation.context.map(quote).join(",")}]`)] as const]
          : []),
      ];
      const rest = options.length > 0 ? [objectLiteral(options)] : [];
      return call(kind, [stringLiteral(name), jsonLiteral(operation.message), ...rest]);
    }
  }
}

function call(kind: string, args: readonly string[]): string {
  return `${kind}(${args.join(", ")})`;
}

function unlessEmpty(object: string): readonly string[] {
  return object === "{}" ? [] : [jsonLiteral(object)];
}
