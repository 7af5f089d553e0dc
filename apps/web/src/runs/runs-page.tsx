import type { RunSummaryAnswer } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { runsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { Title } from "../ui/shell.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { queryOf } from "./filter.ts";
import { Filters, GoTo } from "./filters.tsx";
import { RunsTable } from "./runs-table.tsx";

/** Runs by filter, one keyset page at a time; filter and page stand in the address (K-1). */
export function RunsPage() {
  const [parameters] = useSearchParams();
  const filter = new URLSearchParams(parameters);
  filter.delete("cursor");
  return (
    <>
      <Title text={m.runs.title} />
      <div className="with-tools">
        <h1>{m.runs.title}</h1>
        <GoTo />
      </div>
      <Filters />
      <Listing key={filter.toString()} parameters={parameters} />
    </>
  );
}

/** A change of the filter drops the selection: what is selected is always something the viewer has seen. */
function Listing({ parameters }: { readonly parameters: URLSearchParams }) {
  const query = queryOf(parameters);
  const page = useQuery(runsQuery(query));
  const [selected, setSelected] = useState<ReadonlyMap<string, RunSummaryAnswer>>(new Map());
  if (page.data === undefined)
    return page.error === null ? (
      <Loading />
    ) : (
      <Problem error={page.error} retry={() => void page.refetch()} />
    );
  const { items, nextCursor } = page.data;
  const isFiltered = [...parameters.keys()].some((name) => name !== "sort");
  return (
    <>
      {page.error === null ? null : <Problem error={page.error} retry={() => void page.refetch()} />}
      <BulkBar selected={selected} query={query} select={setSelected} />
      {items.length === 0 ? <p className="quiet">{isFiltered ? m.runs.none : m.runs.noneYet}</p> : null}
      {items.length === 0 ? null : <RunsTable runs={items} selected={selected} select={setSelected} />}
      <Pages parameters={parameters} nextCursor={nextCursor} />
    </>
  );
}

/** Keyset pages go forward; the browser's own way back leads to the pages before. */
export function Pages(props: { readonly parameters: URLSearchParams; readonly nextCursor: string | null }) {
  const at = (cursor: string | null) => {
    const next = new URLSearchParams(props.parameters);
    next.delete("cursor");
    if (cursor !== null) next.set("cursor", cursor);
    return `?${next.toString()}`;
  };
  const isFirst = !props.parameters.has("cursor");
  if (isFirst && props.nextCursor === null) return null;
  return (
    <nav className="toolbar pages" aria-label={m.runs.next}>
      {isFirst ? null : (
        <Link className="button" to={at(null)}>
          {m.runs.first}
        </Link>
      )}
      {props.nextCursor === null ? null : (
        <Link className="button" to={at(props.nextCursor)}>
          {m.runs.next}
        </Link>
      )}
    </nav>
  );
}
