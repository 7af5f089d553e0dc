import type { LoopAnswer } from "@agentflow/contract";
import { m } from "../messages/index.ts";
import { durationText } from "../ui/format.ts";
import { DecisionBadge } from "../ui/status.tsx";
import { nameOf } from "./sentence.ts";

/** A loop as a state-machine card: progress, limits, latest outcome and the last three entries (K-7). */
export function LoopCard(props: {
  readonly loop: LoopAnswer;
  readonly selected: boolean;
  readonly onSelect: () => void;
}) {
  const { loop } = props;
  const progress = m.loop.iterations(loop.iterations, loop.maxIterations);
  const active = m.loop.active(durationText(loop.elapsedMs), durationText(loop.timeoutMs));
  return (
    <article className={`loop-card${props.selected ? " selected" : ""}`} data-loop={loop.path}>
      <header>
        <span aria-hidden="true" className="loop-sign">
          ⟳
        </span>
        <h3>
          <button
            type="button"
            className="link"
            aria-pressed={props.selected}
            aria-label={m.loop.show(nameOf(loop))}
            onClick={props.onSelect}
          >
            {nameOf(loop)}
          </button>
        </h3>
        {loop.status === "failed" && loop.decision !== "fail" ? (
          <span className="badge loop-failed">{m.loopStatus.failed}</span>
        ) : (
          <DecisionBadge decision={loop.decision} />
        )}
      </header>
      <p className="loop-flow number">
        {m.loop.state} {loop.iterations}
        {loop.status === "running" || loop.status === "waiting"
          ? ` · ${m.loop.next(loop.nextIteration)}`
          : ""}
        {loop.epoch > 0 ? ` · ${m.loop.epoch(loop.epoch)}` : ""}
      </p>
      <Meter value={loop.iterations} max={loop.maxIterations} text={progress} />
      <Meter value={loop.elapsedMs} max={loop.timeoutMs} text={active} />
      <p className={loop.summary === "" ? "quiet" : "loop-summary"}>
        {loop.summary === "" ? m.loop.noSummary : loop.summary}
      </p>
      {loop.recent.length === 0 ? null : (
        <ol className="recent" aria-label={m.loop.recent}>
          {loop.recent.map((entry) => (
            <li key={entry.iteration}>
              <span className="number quiet">{entry.iteration}</span>
              <span className={`dot decision-${entry.decision}`} aria-hidden="true" />
              <span>{m.decision[entry.decision]}</span>
              <span className="cut">{entry.summary}</span>
              <span className="number quiet">{durationText(entry.elapsedMs)}</span>
            </li>
          ))}
        </ol>
      )}
    </article>
  );
}

function Meter({
  value,
  max,
  text,
}: {
  readonly value: number;
  readonly max: number;
  readonly text: string;
}) {
  return (
    <div className="meter">
      <progress value={Math.min(value, max)} max={Math.max(max, 1)} aria-label={text} />
      <span className="number">{text}</span>
    </div>
  );
}
