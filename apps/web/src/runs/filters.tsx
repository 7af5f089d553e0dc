import { runStatus } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { statsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { changed, localInput, statusesOf } from "./filter.ts";

const TYPING_MS = 300;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The filter of the runs page; every part of it is in the address, so that it can be shared (K-1). */
export function Filters() {
  const [parameters, setParameters] = useSearchParams();
  const set = (name: string, values: readonly string[]) =>
    setParameters((before) => changed(before, name, values), { replace: true });
  const time = (name: string) => ({
    value: localInput(parameters.get(name)),
    onChange: (event: { target: { value: string } }) => {
      const { value } = event.target;
      set(name, [value === "" ? "" : new Date(value).toISOString()]);
    },
  });
  return (
    <search className="panel filters" aria-label={m.runs.filters}>
      <Statuses parameters={parameters} set={set} />
      <div className="filter-row">
        {(["flow", "tag", "code"] as const).map((name) => (
          <Typed
            key={name}
            label={m.runs[name]}
            value={parameters.get(name) ?? ""}
            set={(text) => set(name, [text])}
          />
        ))}
        <label className="field">
          <span>{m.runs.after}</span>
          <input type="datetime-local" {...time("createdAfter")} />
        </label>
        <label className="field">
          <span>{m.runs.before}</span>
          <input type="datetime-local" {...time("createdBefore")} />
        </label>
        <label className="field">
          <span>{m.runs.sort}</span>
          <select
            value={parameters.get("sort") === "created" ? "created" : ""}
            onChange={(event) => set("sort", [event.target.value])}
          >
            <option value="">{m.runs.newestFirst}</option>
            <option value="created">{m.runs.oldestFirst}</option>
          </select>
        </label>
        {parameters.size === 0 ? null : (
          <button type="button" onClick={() => setParameters(new URLSearchParams())}>
            {m.runs.clear}
          </button>
        )}
      </div>
    </search>
  );
}

function Statuses(props: {
  readonly parameters: URLSearchParams;
  readonly set: (name: string, values: readonly string[]) => void;
}) {
  const stats = useQuery(statsQuery);
  const chosen = statusesOf(props.parameters);
  return (
    <div role="group" aria-label={m.runs.columns.status} className="chips">
      {runStatus.options.map((status) => {
        const isOn = chosen.includes(status);
        const next = isOn ? chosen.filter((one) => one !== status) : [...chosen, status];
        return (
          <button
            key={status}
            type="button"
            className={`chip status-${status}`}
            aria-pressed={isOn}
            onClick={() => props.set("status", next)}
          >
            {m.status[status]} <span className="number">{stats.data?.runs[status] ?? ""}</span>
          </button>
        );
      })}
    </div>
  );
}

/** A text that reaches the address a moment after the last key. */
function Typed(props: {
  readonly label: string;
  readonly value: string;
  readonly set: (text: string) => void;
}) {
  const [text, setText] = useState(props.value);
  const { value, set } = props;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => set(text), TYPING_MS);
    return () => clearTimeout(timer);
    // A new `set` with every drawing is the same one.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text, value]);
  return (
    <label className="field">
      <span>{props.label}</span>
      <input value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
    </label>
  );
}

/** Opens a run by its whole id. */
export function GoTo() {
  const navigate = useNavigate();
  const id = useId();
  const [isBad, setBad] = useState(false);
  return (
    <form
      className="go-to toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("id") as HTMLInputElement;
        const given = field.value.trim().toLowerCase();
        setBad(!ID.test(given));
        if (ID.test(given)) void navigate(`/runs/${given}`);
      }}
    >
      <label htmlFor={id}>{m.runs.goTo}</label>
      <span className="joined">
        <input id={id} name="id" spellCheck={false} aria-invalid={isBad} aria-describedby={`${id}-bad`} />
        <button type="submit">{m.runs.go}</button>
      </span>
      <span id={`${id}-bad`} role="status" className="bad">
        {isBad ? m.runs.badId : ""}
      </span>
    </form>
  );
}
