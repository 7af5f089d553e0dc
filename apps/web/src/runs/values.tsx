import type { RunAnswer } from "@agentflow/contract";
import { members } from "@agentflow/core";
import { m } from "../messages/index.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { CopyButton, downloadText } from "../ui/parts.tsx";

/** What display nodes showed, as text: nothing of it is ever markup (S-21). */
export function Outputs({ run }: { readonly run: RunAnswer }) {
  const outputs = Object.entries(run.outputs);
  if (outputs.length === 0) return <p className="quiet">{m.run.noOutputs}</p>;
  return outputs.map(([node, value]) => (
    <article key={node} className="output">
      <header className="toolbar">
        <h3>{node}</h3>
        <span className="grow" />
        <CopyButton text={() => value} />
        <button
          type="button"
          className="plain"
          onClick={() => downloadText(value, `${run.id}-${node}.txt`, "text/plain")}
        >
          {m.app.download}
        </button>
      </header>
      <pre className="text" tabIndex={0}>
        {value}
      </pre>
    </article>
  ));
}

/** The inputs as they were given, spelling and order kept (L-46). */
export function Inputs({ text }: { readonly text: string }) {
  const inputs = members(text).get("inputs") ?? "{}";
  if (inputs === "{}") return <p className="quiet">{m.run.noInputs}</p>;
  return <JsonTree text={inputs} name="inputs.json" />;
}
