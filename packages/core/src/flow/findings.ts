/** What lint has to say about a flow (2-flows 2.5); `line` and `column` count from 1 and are null for a flow without text. */
export type Finding = {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly node: string | null;
  readonly field: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** What is wrong and how to mend it. */
  readonly message: string;
};
