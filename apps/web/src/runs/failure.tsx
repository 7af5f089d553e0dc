import type { RunAnswer } from "@agentflow/contract";
import { m } from "../messages/index.ts";
import { Section } from "../ui/parts.tsx";

/** Why a run failed: code, message, where, the end of stderr and the flow's version (K-2). */
export function FailurePanel({ run }: { readonly run: RunAnswer }) {
  const { failure } = run;
  if (failure === null) return null;
  const { exitCode, signal, stderrTail, ...others } = failure.details;
  const facts: [string, unknown][] = [
    [m.run.failedAt.node, failure.node],
    [m.run.failedAt.iteration, failure.iteration],
    [m.run.failedAt.exitCode, exitCode],
    [m.run.failedAt.signal, signal],
    [m.run.failedAt.version, run.version],
  ];
  return (
    <Section title={m.run.failure} id="failure" className="failure">
      <p>
        <a href={`/docs/errors#${encodeURIComponent(failure.code)}`}>
          <code>{failure.code}</code>
        </a>
      </p>
      <p className="failure-message">{failure.message}</p>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
      </dl>
      {typeof stderrTail === "string" && stderrTail !== "" ? (
        <>
          <h3>{m.run.stderrTail}</h3>
          <pre className="text" tabIndex={0}>
            {stderrTail}
          </pre>
        </>
      ) : null}
      {Object.keys(others).length === 0 ? null : (
        <details>
          <summary>{m.run.details}</summary>
          <pre className="text">{JSON.stringify(others, null, 2)}</pre>
        </details>
      )}
    </Section>
  );
}
