import { useDeferredValue, useMemo, useState } from "react";
import { utf8Length } from "@agentflow/core";
import { m } from "../messages/index.ts";
import { sizeText } from "./format.ts";
import { findRows, jsonRows, visibleRows } from "./json-rows.ts";
import { TreeRows } from "./json-tree-rows.tsx";
import { CopyButton, downloadText } from "./parts.tsx";

/** Above this a tree opens with only its first level. */
const OPEN_ROWS = 200;

/** A JSON text as a tree with search; only the rows in view are drawn, so a state of 1 MiB stays usable (K-6). */
export function JsonTree({ text, name }: { readonly text: string; readonly name: string }) {
  const rows = useMemo(() => jsonRows(text), [text]);
  const bytes = useMemo(() => utf8Length(text), [text]);
  const [wanted, setWanted] = useState("");
  const search = useDeferredValue(wanted.trim());
  const [flipped, setFlipped] = useState<ReadonlySet<number>>(new Set());
  const [allOpen, setAllOpen] = useState<boolean | null>(null);
  const found = useMemo(
    () => (rows === null || search === "" ? null : findRows(rows, search)),
    [rows, search],
  );
  const openByDefault = allOpen ?? (rows?.length ?? 0) <= OPEN_ROWS;
  const shown = useMemo(() => {
    if (rows === null) return [];
    const isCollapsed = (index: number) => (index > 0 && !openByDefault) !== flipped.has(index);
    return found?.shown ?? visibleRows(rows, isCollapsed);
  }, [rows, found, flipped, openByDefault]);

  if (rows === null) return <BrokenText text={text} />;
  const flip = (index: number) => setFlipped((before) => flippedSet(before, index));
  const openAll = (open: boolean) => {
    setAllOpen(open);
    setFlipped(new Set());
  };
  return (
    <div className="tree">
      <div className="toolbar">
        <input
          type="search"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          placeholder={m.state.search}
          aria-label={m.state.search}
        />
        <span className="quiet" role="status">
          {found === null ? m.state.size(sizeText(bytes), rows.length) : m.state.found(found.found.size)}
        </span>
        <span className="grow" />
        <button type="button" className="plain" onClick={() => openAll(true)}>
          {m.state.expandAll}
        </button>
        <button type="button" className="plain" onClick={() => openAll(false)}>
          {m.state.collapseAll}
        </button>
        <CopyButton text={() => text} />
        <button type="button" className="plain" onClick={() => downloadText(text, name, "application/json")}>
          {m.app.download}
        </button>
      </div>
      <TreeRows rows={rows} shown={shown} found={found?.found ?? null} flip={flip} />
    </div>
  );
}

function BrokenText({ text }: { readonly text: string }) {
  return (
    <>
      <p className="problem">{m.state.broken}</p>
      <pre className="text">{text}</pre>
    </>
  );
}

function flippedSet(before: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const after = new Set(before);
  if (!after.delete(index)) after.add(index);
  return after;
}
