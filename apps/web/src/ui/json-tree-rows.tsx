import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { m } from "../messages/index.ts";
import { scalarText } from "./json-rows.ts";
import type { JsonRow } from "./json-rows.ts";
import { CopyButton } from "./parts.tsx";

const ROW_PX = 26;
/** Longer or multi-line values are cut in their row and shown whole below the tree when picked. */
const LONG_VALUE = 160;

type RowsProps = {
  readonly rows: readonly JsonRow[];
  readonly shown: readonly number[];
  readonly found: ReadonlySet<number> | null;
  readonly flip: (index: number) => void;
};

/** The rows in view of a tree, driven by the keys of the ARIA tree pattern. */
export function TreeRows({ rows, shown, found, flip }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, Math.max(0, shown.length - 1));
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const isOpen = (place: number) =>
    (rows[shown[place + 1] ?? -1]?.depth ?? 0) > (rows[shown[place] ?? -1]?.depth ?? 0);
  const move = (to: number) => {
    const place = Math.max(0, Math.min(shown.length - 1, to));
    setCurrent(place);
    virtual.scrollToIndex(place);
  };
  const onKey = (event: KeyboardEvent) => {
    const index = shown[at];
    if (index === undefined) return;
    const row = rows[index]!;
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      PageDown: () => move(at + 15),
      PageUp: () => move(at - 15),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      ArrowRight: () => (row.members > 0 && !isOpen(at) ? flip(index) : move(at + 1)),
      ArrowLeft: () => (row.members > 0 && isOpen(at) ? flip(index) : move(parentPlace(rows, shown, at))),
      Enter: () => (row.members > 0 ? flip(index) : undefined),
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  };
  const picked = rows[shown[at] ?? -1];
  return (
    <>
      <div
        ref={frame}
        className="tree-frame"
        role="tree"
        aria-label={m.state.tree}
        tabIndex={0}
        aria-activedescendant={`row-${shown[at] ?? 0}`}
        onKeyDown={onKey}
      >
        <div role="presentation" className="tree-space" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const index = shown[item.index]!;
            return (
              <TreeRow
                key={index}
                index={index}
                row={rows[index]!}
                top={item.start}
                open={isOpen(item.index)}
                marked={found?.has(index) ?? false}
                current={item.index === at}
                onPick={() => {
                  setCurrent(item.index);
                  if (rows[index]!.members > 0 && found === null) flip(index);
                }}
              />
            );
          })}
        </div>
      </div>
      {picked !== undefined && isLong(picked) ? <WholeValue row={picked} /> : null}
    </>
  );
}

function parentPlace(rows: readonly JsonRow[], shown: readonly number[], at: number): number {
  const depth = rows[shown[at] ?? 0]?.depth ?? 0;
  for (let place = at - 1; place >= 0; place -= 1)
    if ((rows[shown[place]!]?.depth ?? 0) < depth) return place;
  return 0;
}

function TreeRow(props: {
  readonly index: number;
  readonly row: JsonRow;
  readonly top: number;
  readonly open: boolean;
  readonly marked: boolean;
  readonly current: boolean;
  readonly onPick: () => void;
}) {
  const { row, open } = props;
  const isContainer = row.kind === "object" || row.kind === "array";
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={`row-${props.index}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={props.current}
      {...(isContainer && row.members > 0 && { "aria-expanded": open })}
      className={`tree-row${props.marked ? " marked" : ""}${props.current ? " current" : ""}`}
      style={{ transform: `translateY(${props.top}px)`, paddingInlineStart: `${8 + row.depth * 16}px` }}
      onClick={props.onPick}
    >
      <span aria-hidden="true" className="tree-sign">
        {isContainer && row.members > 0 ? (open ? "▾" : "▸") : ""}
      </span>
      {row.key === null ? null : <span className="tree-key">{row.key}</span>}
      {isContainer ? (
        <span className="quiet">
          {row.kind === "object" ? "{}" : "[]"} {m.state.members(row.members)}
        </span>
      ) : (
        <span className={`tree-${row.kind}`}>{shortened(row)}</span>
      )}
    </div>
  );
}

function shortened(row: JsonRow): string {
  const text = scalarText(row).slice(0, LONG_VALUE).replaceAll("\n", "⏎");
  return isLong(row) ? `${text}…` : text;
}

function isLong({ text }: JsonRow): boolean {
  return text.length > LONG_VALUE || text.includes("\\n");
}

function WholeValue({ row }: { readonly row: JsonRow }) {
  return (
    <div className="whole-value">
      <div className="toolbar">
        <span className="tree-key">{row.key}</span>
        <span className="grow" />
        <CopyButton text={() => scalarText(row)} />
      </div>
      <pre className="text" tabIndex={0}>
        {scalarText(row)}
      </pre>
    </div>
  );
}
