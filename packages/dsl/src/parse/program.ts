import type {
  CallExpression,
  Expression,
  Identifier,
  ImportDeclaration,
  ModuleDeclaration,
  ObjectPattern,
  Program,
  Statement,
  VariableDeclaration,
  VariableDeclarator,
} from "acorn";
import { LANGUAGE_MODULE, languageNames } from "./names.ts";
import type { Report } from "./report.ts";

/** What a flow file declares at top level: `const x = call(...)` or `const { a, b } = x` (F-4). */
export type Declared =
  | {
      readonly kind: "call";
      readonly name: Identifier;
      readonly callee: string;
      readonly call: CallExpression;
      readonly exported: boolean;
    }
  | { readonly kind: "destructuring"; readonly pattern: ObjectPattern; readonly source: Identifier };

const ALLOWED =
  "At top level a flow has imports, `const name = call(...)`, `const { a } = node` and `export const run = flow(...)`";

/** The declarations of the file in source order; every other statement is reported (F-5). */
export function readProgram(program: Program, report: Report): readonly Declared[] {
  const declared: Declared[] = [];
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") checkImport(statement, report);
    else if (statement.type === "VariableDeclaration") readVariables(statement, false, declared, report);
    else if (
      statement.type === "ExportNamedDeclaration" &&
      statement.declaration?.type === "VariableDeclaration"
    ) {
      readVariables(statement.declaration, true, declared, report);
    } else if (statement.type !== "EmptyStatement") report.unplaced(statement, misplaced(statement));
  }
  return declared;
}

function misplaced(statement: Statement | ModuleDeclaration): string {
  if (statement.type === "ExpressionStatement") {
    return `This expression has no place in a flow, nothing is executed. ${ALLOWED}; give a call a name, or remove it.`;
  }
  if (statement.type.startsWith("Export")) return `This export has no place in a flow. ${ALLOWED}.`;
  return `This statement has no place in a flow. ${ALLOWED}.`;
}

function checkImport(statement: ImportDeclaration, report: Report): void {
  const known = [...languageNames].join(", ");
  if (statement.source.value !== LANGUAGE_MODULE) {
    const message = `Import from an unknown origin: only "${LANGUAGE_MODULE}" can be imported; remove this import, the names of the language are known without one.`;
    return report.add("D05", statement.source, message);
  }
  for (const specifier of statement.specifiers) {
    if (specifier.type !== "ImportSpecifier") {
      report.add("D05", specifier, `"${LANGUAGE_MODULE}" has named exports only: import ${known} in braces.`);
      continue;
    }
    const name =
      specifier.imported.type === "Identifier" ? specifier.imported.name : String(specifier.imported.value);
    if (!languageNames.has(name)) {
      report.add("D05", specifier, `"${LANGUAGE_MODULE}" has no \`${name}\`: it has ${known}.`);
    } else if (specifier.local.name !== name) {
      report.add(
        "D06",
        specifier,
        `\`${name}\` cannot be renamed to \`${specifier.local.name}\`: import it under its own name.`,
      );
    }
  }
}

function readVariables(
  declaration: VariableDeclaration,
  exported: boolean,
  declared: Declared[],
  report: Report,
): void {
  if (declaration.kind !== "const") {
    return report.unplaced(
      declaration,
      `\`${declaration.kind}\` has no place in a flow: declare with const.`,
    );
  }
  for (const declarator of declaration.declarations) readVariable(declarator, exported, declared, report);
}

function readVariable(
  declarator: VariableDeclarator,
  exported: boolean,
  declared: Declared[],
  report: Report,
): void {
  const { id, init } = declarator;
  if (id.type === "ObjectPattern" && init?.type === "Identifier") {
    declared.push({ kind: "destructuring", pattern: id, source: init });
    return;
  }
  const callee = init?.type === "CallExpression" ? calleeName(init.callee) : null;
  if (id.type === "Identifier" && init?.type === "CallExpression" && !init.optional && callee !== null) {
    declared.push({ kind: "call", name: id, callee, call: init, exported });
    return;
  }
  if (id.type === "ObjectPattern") {
    report.unplaced(
      declarator,
      "Only a node variable can be destructured: declare the node with const first, then write `const { a } = node`.",
    );
  } else {
    report.unplaced(
      declarator,
      "A variable of a flow is a call such as provide.text(...): write the value into a pin, or wire it as `node.slot`.",
    );
  }
}

/** `tool.nodejs` of `tool.nodejs(...)`; null when the callee is not plain dotted names. */
export function calleeName(callee: Expression | CallExpression["callee"]): string | null {
  const names: string[] = [];
  let at: Expression | CallExpression["callee"] = callee;
  while (at.type === "MemberExpression") {
    if (at.computed || at.optional || at.property.type !== "Identifier") return null;
    names.unshift(at.property.name);
    at = at.object;
    if (names.length > 8) return null;
  }
  return at.type === "Identifier" ? [at.name, ...names].join(".") : null;
}
