/** The program that runs a script file of a bundle, looked up in PATH; null when the file itself is executed (F-23). */
export type Interpreter = "node" | "bash" | "python3" | null;

const byExtension: ReadonlyMap<string, Interpreter> = new Map([
  ["js", "node"],
  ["mjs", "node"],
  ["cjs", "node"],
  ["sh", "bash"],
  ["bash", "bash"],
  ["py", "python3"],
]);

/** Chooses the interpreter by the extension of the path, in any letter case (F-23). */
export function interpreterFor(path: string): Interpreter {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? null : (byExtension.get(name.slice(dot + 1).toLowerCase()) ?? null);
}
