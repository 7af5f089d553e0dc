import type { LoopAnswer, RunStatusWord } from "@agentflow/contract";
import { m } from "../messages/index.ts";

const SIGNS: Record<RunStatusWord, string> = {
  queued: "○",
  running: "▶",
  waiting: "❚❚",
  succeeded: "✓",
  failed: "✕",
  cancelled: "⊘",
};

/** A run's status as a word with a sign, so that colour is not needed to read it. */
export function StatusBadge({ status }: { readonly status: RunStatusWord }) {
  return (
    <span className={`badge status-${status}`} data-status={status}>
      <span aria-hidden="true">{SIGNS[status]}</span> {m.status[status]}
    </span>
  );
}

/** A loop's decision in its tone: continue purple, wait amber, done green, fail red (K-7). */
export function DecisionBadge({ decision }: { readonly decision: LoopAnswer["decision"] }) {
  const word = decision ?? "none";
  return <span className={`badge decision-${word}`}>{m.decision[word]}</span>;
}
