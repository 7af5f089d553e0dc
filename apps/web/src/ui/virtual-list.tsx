import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { ReactNode } from "react";

const ROW_PX = 38;

/** A list of which only the rows in view are drawn (K-6); rows are as high as what is in them. */
export function VirtualList<Item>(props: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => number;
  readonly draw: (item: Item) => ReactNode;
  readonly className?: string;
}) {
  const { items, keyOf } = props;
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    overscan: 10,
  });
  return (
    <div
      ref={frame}
      className={`timeline ${props.className ?? ""}`}
      tabIndex={0}
      role="group"
      aria-label={props.label}
    >
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((row) => (
          <li
            key={row.key}
            ref={virtual.measureElement}
            data-index={row.index}
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {props.draw(items[row.index]!)}
          </li>
        ))}
      </ol>
    </div>
  );
}
