import type { ListRunsQuery, RunAnswer, RunStatusWord } from "@agentflow/contract";
import type { QueryClient } from "@tanstack/react-query";
import type { Known } from "./history.ts";
/** Terminal states never change again. */
export declare function hasEnded({ status }: {
    readonly status: RunStatusWord;
}): boolean;
/** A run with the answer's exact text, from which inputs keep their spelling (L-46). */
export type ShownRun = {
    readonly run: RunAnswer;
    readonly text: string;
};
/** A run on show: asked for every second while it can move, so that its end shows within 2 s (K-5). */
export declare const runQuery: (id: string) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<ShownRun, Error, ShownRun, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<ShownRun, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], ShownRun, Error>;
/** A run beside others: fetched again only when its line in the list says that it changed. */
export declare const runAsOfQuery: (id: string, updatedAt: string) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    id: string;
    flow: string;
    version: number;
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    failure: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | null;
    tags: string[];
    priority: number | null;
    concurrencyKey: string | null;
    attempt: number;
    inDoubt: boolean;
    leaseOwner: string | null;
    dueAt: string | null;
    rerunOf: string | null;
    forkedFrom: {
        runId: string;
        loop: string;
        iteration: number;
    } | null;
    createdAt: string;
    startedAt: string | null;
    updatedAt: string;
    finishedAt: string | null;
    inputs: Record<string, unknown>;
    keptResume: {
        until: string | null;
        nextIteration: number | null;
        keptAt: string;
        actor: string;
    } | null;
    usage: {
        inputTokens: number;
        outputTokens: number;
    };
    loops: {
        label: string;
        path: string;
        status: "done" | "failed" | "running" | "waiting";
        decision: "continue" | "done" | "fail" | "wait" | null;
        iterations: number;
        nextIteration: number;
        maxIterations: number;
        timeoutMs: number;
        elapsedMs: number;
        summary: string;
        fingerprint: string;
        epoch: number;
        usage: {
            inputTokens: number;
            outputTokens: number;
        };
        recent: {
            iteration: number;
            decision: "continue" | "done" | "fail" | "wait";
            summary: string;
            elapsedMs: number;
            idempotencyKey: string;
            error?: {
                code: string;
                message: string;
                node: string | null;
                iteration: number | null;
                details: Record<string, unknown>;
            } | undefined;
        }[];
    }[];
    outputs: Record<string, string>;
}, Error, {
    id: string;
    flow: string;
    version: number;
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    failure: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | null;
    tags: string[];
    priority: number | null;
    concurrencyKey: string | null;
    attempt: number;
    inDoubt: boolean;
    leaseOwner: string | null;
    dueAt: string | null;
    rerunOf: string | null;
    forkedFrom: {
        runId: string;
        loop: string;
        iteration: number;
    } | null;
    createdAt: string;
    startedAt: string | null;
    updatedAt: string;
    finishedAt: string | null;
    inputs: Record<string, unknown>;
    keptResume: {
        until: string | null;
        nextIteration: number | null;
        keptAt: string;
        actor: string;
    } | null;
    usage: {
        inputTokens: number;
        outputTokens: number;
    };
    loops: {
        label: string;
        path: string;
        status: "done" | "failed" | "running" | "waiting";
        decision: "continue" | "done" | "fail" | "wait" | null;
        iterations: number;
        nextIteration: number;
        maxIterations: number;
        timeoutMs: number;
        elapsedMs: number;
        summary: string;
        fingerprint: string;
        epoch: number;
        usage: {
            inputTokens: number;
            outputTokens: number;
        };
        recent: {
            iteration: number;
            decision: "continue" | "done" | "fail" | "wait";
            summary: string;
            elapsedMs: number;
            idempotencyKey: string;
            error?: {
                code: string;
                message: string;
                node: string | null;
                iteration: number | null;
                details: Record<string, unknown>;
            } | undefined;
        }[];
    }[];
    outputs: Record<string, string>;
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        id: string;
        flow: string;
        version: number;
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        failure: {
            code: string;
            message: string;
            node: string | null;
            iteration: number | null;
            details: Record<string, unknown>;
        } | null;
        tags: string[];
        priority: number | null;
        concurrencyKey: string | null;
        attempt: number;
        inDoubt: boolean;
        leaseOwner: string | null;
        dueAt: string | null;
        rerunOf: string | null;
        forkedFrom: {
            runId: string;
            loop: string;
            iteration: number;
        } | null;
        createdAt: string;
        startedAt: string | null;
        updatedAt: string;
        finishedAt: string | null;
        inputs: Record<string, unknown>;
        keptResume: {
            until: string | null;
            nextIteration: number | null;
            keptAt: string;
            actor: string;
        } | null;
        usage: {
            inputTokens: number;
            outputTokens: number;
        };
        loops: {
            label: string;
            path: string;
            status: "done" | "failed" | "running" | "waiting";
            decision: "continue" | "done" | "fail" | "wait" | null;
            iterations: number;
            nextIteration: number;
            maxIterations: number;
            timeoutMs: number;
            elapsedMs: number;
            summary: string;
            fingerprint: string;
            epoch: number;
            usage: {
                inputTokens: number;
                outputTokens: number;
            };
            recent: {
                iteration: number;
                decision: "continue" | "done" | "fail" | "wait";
                summary: string;
                elapsedMs: number;
                idempotencyKey: string;
                error?: {
                    code: string;
                    message: string;
                    node: string | null;
                    iteration: number | null;
                    details: Record<string, unknown>;
                } | undefined;
            }[];
        }[];
        outputs: Record<string, string>;
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    id: string;
    flow: string;
    version: number;
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    failure: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | null;
    tags: string[];
    priority: number | null;
    concurrencyKey: string | null;
    attempt: number;
    inDoubt: boolean;
    leaseOwner: string | null;
    dueAt: string | null;
    rerunOf: string | null;
    forkedFrom: {
        runId: string;
        loop: string;
        iteration: number;
    } | null;
    createdAt: string;
    startedAt: string | null;
    updatedAt: string;
    finishedAt: string | null;
    inputs: Record<string, unknown>;
    keptResume: {
        until: string | null;
        nextIteration: number | null;
        keptAt: string;
        actor: string;
    } | null;
    usage: {
        inputTokens: number;
        outputTokens: number;
    };
    loops: {
        label: string;
        path: string;
        status: "done" | "failed" | "running" | "waiting";
        decision: "continue" | "done" | "fail" | "wait" | null;
        iterations: number;
        nextIteration: number;
        maxIterations: number;
        timeoutMs: number;
        elapsedMs: number;
        summary: string;
        fingerprint: string;
        epoch: number;
        usage: {
            inputTokens: number;
            outputTokens: number;
        };
        recent: {
            iteration: number;
            decision: "continue" | "done" | "fail" | "wait";
            summary: string;
            elapsedMs: number;
            idempotencyKey: string;
            error?: {
                code: string;
                message: string;
                node: string | null;
                iteration: number | null;
                details: Record<string, unknown>;
            } | undefined;
        }[];
    }[];
    outputs: Record<string, string>;
}, Error>;
export type RunsQuery = Partial<ListRunsQuery>;
/** One page of runs, kept up to date; the page before stays on show while the next one comes. */
export declare const runsQuery: (query: RunsQuery) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    items: {
        id: string;
        flow: string;
        version: number;
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        failure: {
            code: string;
            message: string;
            node: string | null;
            iteration: number | null;
            details: Record<string, unknown>;
        } | null;
        tags: string[];
        priority: number | null;
        concurrencyKey: string | null;
        attempt: number;
        inDoubt: boolean;
        leaseOwner: string | null;
        dueAt: string | null;
        rerunOf: string | null;
        forkedFrom: {
            runId: string;
            loop: string;
            iteration: number;
        } | null;
        createdAt: string;
        startedAt: string | null;
        updatedAt: string;
        finishedAt: string | null;
    }[];
    nextCursor: string | null;
}, Error, {
    items: {
        id: string;
        flow: string;
        version: number;
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        failure: {
            code: string;
            message: string;
            node: string | null;
            iteration: number | null;
            details: Record<string, unknown>;
        } | null;
        tags: string[];
        priority: number | null;
        concurrencyKey: string | null;
        attempt: number;
        inDoubt: boolean;
        leaseOwner: string | null;
        dueAt: string | null;
        rerunOf: string | null;
        forkedFrom: {
            runId: string;
            loop: string;
            iteration: number;
        } | null;
        createdAt: string;
        startedAt: string | null;
        updatedAt: string;
        finishedAt: string | null;
    }[];
    nextCursor: string | null;
}, (string | Partial<{
    limit?: number | undefined;
    cursor?: string | undefined;
    status?: ("cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting")[] | undefined;
    flow?: string | undefined;
    tag?: string | undefined;
    code?: string | undefined;
    createdAfter?: string | undefined;
    createdBefore?: string | undefined;
    updatedAfter?: string | undefined;
    sort?: "-created" | "created" | undefined;
}>)[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        items: {
            id: string;
            flow: string;
            version: number;
            status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
            failure: {
                code: string;
                message: string;
                node: string | null;
                iteration: number | null;
                details: Record<string, unknown>;
            } | null;
            tags: string[];
            priority: number | null;
            concurrencyKey: string | null;
            attempt: number;
            inDoubt: boolean;
            leaseOwner: string | null;
            dueAt: string | null;
            rerunOf: string | null;
            forkedFrom: {
                runId: string;
                loop: string;
                iteration: number;
            } | null;
            createdAt: string;
            startedAt: string | null;
            updatedAt: string;
            finishedAt: string | null;
        }[];
        nextCursor: string | null;
    }, (string | Partial<{
        limit?: number | undefined;
        cursor?: string | undefined;
        status?: ("cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting")[] | undefined;
        flow?: string | undefined;
        tag?: string | undefined;
        code?: string | undefined;
        createdAfter?: string | undefined;
        createdBefore?: string | undefined;
        updatedAfter?: string | undefined;
        sort?: "-created" | "created" | undefined;
    }>)[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<(string | Partial<{
    limit?: number | undefined;
    cursor?: string | undefined;
    status?: ("cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting")[] | undefined;
    flow?: string | undefined;
    tag?: string | undefined;
    code?: string | undefined;
    createdAfter?: string | undefined;
    createdBefore?: string | undefined;
    updatedAfter?: string | undefined;
    sort?: "-created" | "created" | undefined;
}>)[], {
    items: {
        id: string;
        flow: string;
        version: number;
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        failure: {
            code: string;
            message: string;
            node: string | null;
            iteration: number | null;
            details: Record<string, unknown>;
        } | null;
        tags: string[];
        priority: number | null;
        concurrencyKey: string | null;
        attempt: number;
        inDoubt: boolean;
        leaseOwner: string | null;
        dueAt: string | null;
        rerunOf: string | null;
        forkedFrom: {
            runId: string;
            loop: string;
            iteration: number;
        } | null;
        createdAt: string;
        startedAt: string | null;
        updatedAt: string;
        finishedAt: string | null;
    }[];
    nextCursor: string | null;
}, Error>;
export declare const statsQuery: import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
    queue: {
        status: "down" | "up";
        depth: number | null;
    };
    workers: number;
    iterationsPerMinute: number;
    stuck: number;
}, Error, {
    runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
    queue: {
        status: "down" | "up";
        depth: number | null;
    };
    workers: number;
    iterationsPerMinute: number;
    stuck: number;
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
        queue: {
            status: "down" | "up";
            depth: number | null;
        };
        workers: number;
        iterationsPerMinute: number;
        stuck: number;
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
    queue: {
        status: "down" | "up";
        depth: number | null;
    };
    workers: number;
    iterationsPerMinute: number;
    stuck: number;
}, Error>;
/** Exact state text of a loop; `version` is anything that changes with the checkpoint. */
export declare const stateQuery: (id: string, loop: string, version: string) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<string, Error, string, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<string, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], string, Error>;
/**
 * All completed iterations of a loop. Entries never change, so only the last page is asked for again when `iterations` moved.
 */
export declare const historyQuery: (queries: QueryClient, id: string, { path, epoch, iterations }: {
    readonly path: string;
    readonly epoch: number;
    readonly iterations: number;
}) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<Known<{
    iteration: number;
    decision: "continue" | "done" | "fail" | "wait";
    summary: string;
    elapsedMs: number;
    idempotencyKey: string;
    error?: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | undefined;
}>, Error, Known<{
    iteration: number;
    decision: "continue" | "done" | "fail" | "wait";
    summary: string;
    elapsedMs: number;
    idempotencyKey: string;
    error?: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | undefined;
}>, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<Known<{
        iteration: number;
        decision: "continue" | "done" | "fail" | "wait";
        summary: string;
        elapsedMs: number;
        idempotencyKey: string;
        error?: {
            code: string;
            message: string;
            node: string | null;
            iteration: number | null;
            details: Record<string, unknown>;
        } | undefined;
    }>, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], Known<{
    iteration: number;
    decision: "continue" | "done" | "fail" | "wait";
    summary: string;
    elapsedMs: number;
    idempotencyKey: string;
    error?: {
        code: string;
        message: string;
        node: string | null;
        iteration: number | null;
        details: Record<string, unknown>;
    } | undefined;
}>, Error>;
/** Why a run stands where it stands, in the server's words; asked for again when the run changed. */
export declare const explainQuery: ({ id, status, updatedAt }: RunAnswer) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    reason: string;
    sentence: string;
    since: string;
    until: string | null;
}, Error, {
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    reason: string;
    sentence: string;
    since: string;
    until: string | null;
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        reason: string;
        sentence: string;
        since: string;
        until: string | null;
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
    reason: string;
    sentence: string;
    since: string;
    until: string | null;
}, Error>;
/** All events of a run, those that are new each time it changed. */
export declare const eventsQuery: (queries: QueryClient, { id, updatedAt }: RunAnswer) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<Known<{
    [x: string]: unknown;
    seq: number;
    type: string;
    at: string;
}>, Error, Known<{
    [x: string]: unknown;
    seq: number;
    type: string;
    at: string;
}>, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<Known<{
        [x: string]: unknown;
        seq: number;
        type: string;
        at: string;
    }>, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], Known<{
    [x: string]: unknown;
    seq: number;
    type: string;
    at: string;
}>, Error>;
/** What the run's commands wrote to stderr; also while a step runs, without a change of the run. */
export declare const logsQuery: (queries: QueryClient, run: RunAnswer) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<Known<{
    seq: number;
    at: string;
    loop: string | null;
    epoch: number;
    iteration: number | null;
    frame: unknown;
    node: string;
    attempt: number;
    text: string;
}>, Error, Known<{
    seq: number;
    at: string;
    loop: string | null;
    epoch: number;
    iteration: number | null;
    frame: unknown;
    node: string;
    attempt: number;
    text: string;
}>, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<Known<{
        seq: number;
        at: string;
        loop: string | null;
        epoch: number;
        iteration: number | null;
        frame: unknown;
        node: string;
        attempt: number;
        text: string;
    }>, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], Known<{
    seq: number;
    at: string;
    loop: string | null;
    epoch: number;
    iteration: number | null;
    frame: unknown;
    node: string;
    attempt: number;
    text: string;
}>, Error>;
export declare const flowsQuery: (cursor: string | undefined) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    items: {
        flow: string;
        newestVersion: number;
        createdAt: string;
        updatedAt: string;
    }[];
    nextCursor: string | null;
}, Error, {
    items: {
        flow: string;
        newestVersion: number;
        createdAt: string;
        updatedAt: string;
    }[];
    nextCursor: string | null;
}, string[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        items: {
            flow: string;
            newestVersion: number;
            createdAt: string;
            updatedAt: string;
        }[];
        nextCursor: string | null;
    }, string[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<string[], {
    items: {
        flow: string;
        newestVersion: number;
        createdAt: string;
        updatedAt: string;
    }[];
    nextCursor: string | null;
}, Error>;
/** The newest version when `version` is null; a version never changes. */
export declare const flowQuery: (name: string, version: number | null) => import("@tanstack/react-query").OmitKeyof<import("@tanstack/react-query").UseQueryOptions<{
    flow: string;
    version: number;
    digest: string;
    source: string | null;
    ir: unknown;
    layout: {
        nodes: Record<string, {
            x: number;
            y: number;
            width: number;
            height: number;
        }>;
    } | null;
    layoutTag: string;
    warnings: {
        code: string;
        severity: "error" | "warning";
        node: string | null;
        field: string | null;
        line: number | null;
        column: number | null;
        message: string;
    }[];
    contract: {
        inputs: {
            node: string;
            label: string;
            type: string;
        }[];
        outputs: {
            node: string;
            label: string;
        }[];
    };
    createdAt: string;
}, Error, {
    flow: string;
    version: number;
    digest: string;
    source: string | null;
    ir: unknown;
    layout: {
        nodes: Record<string, {
            x: number;
            y: number;
            width: number;
            height: number;
        }>;
    } | null;
    layoutTag: string;
    warnings: {
        code: string;
        severity: "error" | "warning";
        node: string | null;
        field: string | null;
        line: number | null;
        column: number | null;
        message: string;
    }[];
    contract: {
        inputs: {
            node: string;
            label: string;
            type: string;
        }[];
        outputs: {
            node: string;
            label: string;
        }[];
    };
    createdAt: string;
}, (string | number | null)[]>, "queryFn"> & {
    queryFn?: import("@tanstack/react-query").QueryFunction<{
        flow: string;
        version: number;
        digest: string;
        source: string | null;
        ir: unknown;
        layout: {
            nodes: Record<string, {
                x: number;
                y: number;
                width: number;
                height: number;
            }>;
        } | null;
        layoutTag: string;
        warnings: {
            code: string;
            severity: "error" | "warning";
            node: string | null;
            field: string | null;
            line: number | null;
            column: number | null;
            message: string;
        }[];
        contract: {
            inputs: {
                node: string;
                label: string;
                type: string;
            }[];
            outputs: {
                node: string;
                label: string;
            }[];
        };
        createdAt: string;
    }, (string | number | null)[], never>;
} & import("@tanstack/react-query").QueryKeyWithDataTag<(string | number | null)[], {
    flow: string;
    version: number;
    digest: string;
    source: string | null;
    ir: unknown;
    layout: {
        nodes: Record<string, {
            x: number;
            y: number;
            width: number;
            height: number;
        }>;
    } | null;
    layoutTag: string;
    warnings: {
        code: string;
        severity: "error" | "warning";
        node: string | null;
        field: string | null;
        line: number | null;
        column: number | null;
        message: string;
    }[];
    contract: {
        inputs: {
            node: string;
            label: string;
            type: string;
        }[];
        outputs: {
            node: string;
            label: string;
        }[];
    };
    createdAt: string;
}, Error>;
