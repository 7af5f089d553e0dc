import { SECRET, VARIABLE, type Field } from "./processes.ts";

/** One thing wrong with the environment: the variable, what it holds (masked, null: not set) and what is legal. */
export type ConfigProblem = { variable: string; value: string | null; legal: string };

/** A problem with the value of one field; the value of a secret is never repeated (S-28). */
export function problem(field: Field, value: string | undefined, legal: string): ConfigProblem {
  return {
    variable: VARIABLE[field],
    value: value === undefined ? null : shown(field, value),
    legal,
  };
}

function shown(field: Field, value: string): string {
  if (!SECRET.has(field)) return JSON.stringify(value);
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || url.host === "") return "(hidden)";
  return `${url.protocol}//${url.username === "" ? "" : "***@"}${url.host}${url.pathname}`;
}

/** All problems as lines for a person, one per variable. */
export function describeProblems(problems: ConfigProblem[]): string {
  const lines = problems.map(({ variable, value, legal }) =>
    value === null
      ? `  ${variable} is not set; expected: ${legal}`
      : `  ${variable} is ${value}; expected: ${legal}`,
  );
  return [
    `The configuration has ${problems.length} problem${problems.length === 1 ? "" : "s"}:`,
    ...lines,
  ].join("\n");
}
