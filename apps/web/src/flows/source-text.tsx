import { m } from "../messages/index.ts";

/** A source file with line numbers, which findings lead to; as text (S-21). */
export function SourceText(props: { readonly text: string; readonly marked: ReadonlySet<number | null> }) {
  return (
    <div className="source" tabIndex={0} role="group" aria-label={m.flows.source}>
      <ol>
        {props.text.split("\n").map((line, at) => (
          <li key={at} id={`line-${at + 1}`} className={props.marked.has(at + 1) ? "marked" : undefined}>
            <code>{line === "" ? "\n" : line}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
