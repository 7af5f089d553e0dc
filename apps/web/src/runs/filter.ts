import { runStatus } from "@agentflow/contract";
import type { RunStatusWord } from "@agentflow/contract";
import type { RunsQuery } from "../api/queries.ts";

export const PAGE_SIZE = 50;

const TEXTS = ["flow", "tag", "code"] as const;
const TIMES = ["createdAfter", "createdBefore"] as const;

/** The filter of the runs page lives in the address; unknown words in it are left out. */
export function queryOf(parameters: URLSearchParams): RunsQuery {
  const status = statusesOf(parameters);
  const cursor = parameters.get("cursor");
  const query: RunsQuery = {
    limit: PAGE_SIZE,
    ...(status.length > 0 && { status }),
    ...(parameters.get("sort") === "created" && { sort: "created" as const }),
    ...(cursor !== null && cursor !== "" && { cursor }),
  };
  for (const name of TEXTS) {
    const given = parameters.get(name)?.trim() ?? "";
    if (given !== "") query[name] = given;
  }
  for (const name of TIMES) {
    const given = Date.parse(parameters.get(name) ?? "");
    if (!Number.isNaN(given)) query[name] = new Date(given).toISOString();
  }
  return query;
}

/** The statuses in the address, in their usual order. */
export function statusesOf(parameters: URLSearchParams): RunStatusWord[] {
  const wanted = new Set(parameters.getAll("status").flatMap((one) => one.split(",")));
  return runStatus.options.filter((status) => wanted.has(status));
}

/** The address with one part changed, on its first page; an empty value takes the part out. */
export function changed(
  parameters: URLSearchParams,
  name: string,
  values: readonly string[],
): URLSearchParams {
  const next = new URLSearchParams(parameters);
  next.delete(name);
  next.delete("cursor");
  for (const value of values) if (value !== "") next.append(name, value);
  return next;
}

/** Of a time in the address for an `<input type="datetime-local">`, which is in the viewer's zone; empty when there is none. */
export function localInput(iso: string | null): string {
  const time = Date.parse(iso ?? "");
  if (Number.isNaN(time)) return "";
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
