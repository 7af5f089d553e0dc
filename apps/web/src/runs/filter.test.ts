import { listRunsQuery } from "@agentflow/contract";
import { expect, test } from "vitest";
import { changed, localInput, PAGE_SIZE, queryOf, statusesOf } from "./filter.ts";

const of = (text: string) => new URLSearchParams(text);

test("K-1: the address is the filter, and everything in it the server takes", () => {
  const query = queryOf(
    of(
      "status=failed&status=waiting,nonsense&flow=count&tag=a+b&code=exit_nonzero&createdAfter=2026-01-01T00:00:00Z&sort=created&cursor=abc",
    ),
  );
  expect(query).toEqual({
    limit: PAGE_SIZE,
    status: ["waiting", "failed"],
    flow: "count",
    tag: "a b",
    code: "exit_nonzero",
    createdAfter: "2026-01-01T00:00:00.000Z",
    sort: "created",
    cursor: "abc",
  });
  expect(listRunsQuery.safeParse(query).success).toBe(true);
});

test("K-1: what is no filter is left out", () => {
  expect(queryOf(of("status=nope&flow=+&createdAfter=yesterday&sort=size&x=1&cursor="))).toEqual({
    limit: PAGE_SIZE,
  });
  expect(statusesOf(of(""))).toEqual([]);
});

test("K-1: a changed filter begins on its first page; an empty value takes it out", () => {
  expect(changed(of("flow=a&cursor=z"), "tag", ["x"]).toString()).toBe("flow=a&tag=x");
  expect(changed(of("flow=a&tag=x"), "flow", [""]).toString()).toBe("tag=x");
  expect(changed(of(""), "status", ["failed", "waiting"]).toString()).toBe("status=failed&status=waiting");
});

test("K-6: times are typed in the viewer's zone", () => {
  const shown = localInput("2026-01-01T00:00:00.000Z");
  expect(new Date(shown).toISOString()).toBe("2026-01-01T00:00:00.000Z");
  expect(localInput("nonsense")).toBe("");
});
