import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { RunsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { Problem } from "../ui/parts.tsx";
import { allMatching, fitting } from "./bulk.ts";
import type { BulkAction } from "./bulk.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import type { Selection } from "./runs-table.tsx";

/** What can be done with the selected runs, or with all that the filter matches. */
export function BulkBar(props: {
  readonly selected: Selection;
  readonly query: RunsQuery;
  readonly select: (selected: Selection) => void;
}) {
  const { selected, select } = props;
  const [action, setAction] = useState<BulkAction | null>(null);
  const matching = useMutation({
    mutationFn: () => allMatching(props.query),
    onSuccess: (runs) => select(new Map(runs.map((run) => [run.id, run]))),
  });
  return (
    <div className="toolbar bulk">
      <span role="status" className="number">
        {matching.isPending ? m.runs.counting : m.runs.selected(selected.size)}
      </span>
      <button type="button" className="plain" disabled={matching.isPending} onClick={() => matching.mutate()}>
        {m.runs.selectMatching}
      </button>
      {selected.size === 0 ? null : (
        <button type="button" className="plain" onClick={() => select(new Map())}>
          {m.runs.clearSelection}
        </button>
      )}
      <span className="grow" />
      {(["resume", "cancel", "rerun"] as const).map((one) => (
        <button
          key={one}
          type="button"
          disabled={fitting(one, selected.values()).length === 0}
          onClick={() => setAction(one)}
        >
          {m.bulk[one]}
        </button>
      ))}
      {matching.error === null ? null : <Problem error={matching.error} />}
      {action === null ? null : (
        <BulkDialog
          action={action}
          runs={[...selected.values()]}
          onClose={(isDone) => {
            setAction(null);
            if (isDone) select(new Map());
          }}
        />
      )}
    </div>
  );
}
