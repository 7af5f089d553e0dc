import type { AuditQuery } from "@agentflow/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

const LIVE_MS = 2500;
const SIZE_MS = 30_000;

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: ({ signal }) => client.listWorkers({ signal }),
  refetchInterval: LIVE_MS,
});

export const sizeQuery = queryOptions({
  queryKey: ["size"],
  queryFn: ({ signal }) => client.getSize({ signal }),
  refetchInterval: SIZE_MS,
});

export const auditQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ["audit", query],
    queryFn: ({ signal }) => client.listAudit(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS * 2,
  });
