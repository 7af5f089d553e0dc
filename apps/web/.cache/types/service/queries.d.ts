import type { AuditQuery } from "@agentflow/contract";
export declare const workersQuery: import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    items: {
        id: string;
        version: string;
        queue: string;
        concurrency: number;
        draining: boolean;
        startedAt: string;
        lastSeenAt: string;
        alive: boolean;
        holding: number;
    }[];
}, Error, {
    items: {
        id: string;
        version: string;
        queue: string;
        concurrency: number;
        draining: boolean;
        startedAt: string;
        lastSeenAt: string;
        alive: boolean;
        holding: number;
    }[];
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        items: {
            id: string;
            version: string;
            queue: string;
            concurrency: number;
            draining: boolean;
            startedAt: string;
            lastSeenAt: string;
            alive: boolean;
            holding: number;
        }[];
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    items: {
        id: string;
        version: string;
        queue: string;
        concurrency: number;
        draining: boolean;
        startedAt: string;
        lastSeenAt: string;
        alive: boolean;
        holding: number;
    }[];
}, Error>;
export declare const sizeQuery: import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    databaseBytes: number;
    tables: {
        table: string;
        bytes: number;
        rows: number;
        deadRows: number;
    }[];
}, Error, {
    databaseBytes: number;
    tables: {
        table: string;
        bytes: number;
        rows: number;
        deadRows: number;
    }[];
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        databaseBytes: number;
        tables: {
            table: string;
            bytes: number;
            rows: number;
            deadRows: number;
        }[];
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    databaseBytes: number;
    tables: {
        table: string;
        bytes: number;
        rows: number;
        deadRows: number;
    }[];
}, Error>;
export declare const auditQuery: (query: AuditQuery) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    items: {
        id: string;
        at: string;
        action: string;
        runId: string | null;
        actor: string;
        remote: string;
        details: unknown;
    }[];
    nextCursor: string | null;
}, Error, {
    items: {
        id: string;
        at: string;
        action: string;
        runId: string | null;
        actor: string;
        remote: string;
        details: unknown;
    }[];
    nextCursor: string | null;
}, (string | {
    limit?: number | undefined;
    cursor?: string | undefined;
    run?: string | undefined;
    action?: string | undefined;
    actor?: string | undefined;
})[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        items: {
            id: string;
            at: string;
            action: string;
            runId: string | null;
            actor: string;
            remote: string;
            details: unknown;
        }[];
        nextCursor: string | null;
    }, (string | {
        limit?: number | undefined;
        cursor?: string | undefined;
        run?: string | undefined;
        action?: string | undefined;
        actor?: string | undefined;
    })[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<(string | {
    limit?: number | undefined;
    cursor?: string | undefined;
    run?: string | undefined;
    action?: string | undefined;
    actor?: string | undefined;
})[], {
    items: {
        id: string;
        at: string;
        action: string;
        runId: string | null;
        actor: string;
        remote: string;
        details: unknown;
    }[];
    nextCursor: string | null;
}, Error>;
