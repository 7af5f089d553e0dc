import { QueryClient } from "@tanstack/react-query";
/** The API this page came from; the browser adds the session's cookie by itself. */
export declare const client: {
    previewBulk: (given: import("@agentflow/contract").StartBulk, call?: import("@agentflow/contract").CallOptions) => Promise<{
        count: number;
        sample: {
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
    }>;
    startBulk: (given: import("@agentflow/contract").StartBulk, call?: import("@agentflow/contract").CallOptions) => Promise<{
        created: boolean;
        bulk: {
            id: string;
            action: "cancel" | "rerun" | "resume";
            status: "aborted" | "done" | "running";
            filter: Record<string, unknown> | null;
            perSecond: number;
            total: number;
            done: number;
            outcomes: Record<string, number>;
            actor: string;
            createdAt: string;
            finishedAt: string | null;
        };
    }>;
    listBulk: (query?: {
        readonly limit?: number | undefined;
        readonly cursor?: string | undefined;
    }, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
            id: string;
            action: "cancel" | "rerun" | "resume";
            status: "aborted" | "done" | "running";
            filter: Record<string, unknown> | null;
            perSecond: number;
            total: number;
            done: number;
            outcomes: Record<string, number>;
            actor: string;
            createdAt: string;
            finishedAt: string | null;
        }[];
        nextCursor: string | null;
    }>;
    getBulk: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        id: string;
        action: "cancel" | "rerun" | "resume";
        status: "aborted" | "done" | "running";
        filter: Record<string, unknown> | null;
        perSecond: number;
        total: number;
        done: number;
        outcomes: Record<string, number>;
        actor: string;
        createdAt: string;
        finishedAt: string | null;
    }>;
    listBulkRuns: (id: string, query?: {
        readonly limit?: number | undefined;
        readonly cursor?: string | undefined;
    } & {
        readonly outcome?: string | undefined;
    }, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
            runId: string;
            outcome: string | null;
            message: string | null;
            startedId: string | null;
        }[];
        nextCursor: string | null;
    }>;
    abortBulk: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        id: string;
        action: "cancel" | "rerun" | "resume";
        status: "aborted" | "done" | "running";
        filter: Record<string, unknown> | null;
        perSecond: number;
        total: number;
        done: number;
        outcomes: Record<string, number>;
        actor: string;
        createdAt: string;
        finishedAt: string | null;
    }>;
    listRunEvents: (id: string, query?: {
        readonly limit?: number | undefined;
    } & {
        cursor?: number | string;
    }, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
            [x: string]: unknown;
            seq: number;
            type: string;
            at: string;
        }[];
        nextCursor: string | null;
    }>;
    streamRunEvents: (id: string, after?: number, signal?: AbortSignal) => AsyncGenerator<{
        [x: string]: unknown;
        seq: number;
        type: string;
        at: string;
    }, any, any>;
    getRunLogs: (id: string, query?: {
        readonly limit?: number | undefined;
    } & {
        iteration?: number | undefined;
        cursor?: string | undefined;
    }, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
            seq: number;
            at: string;
            loop: string | null;
            epoch: number;
            iteration: number | null;
            frame: unknown;
            node: string;
            attempt: number;
            text: string;
        }[];
        nextCursor: string | null;
    }>;
    explainRun: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        status: "cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting";
        reason: string;
        sentence: string;
        since: string;
        until: string | null;
    }>;
    registerFlow: (flow: import("@agentflow/contract").RegisterFlowBody, call?: import("@agentflow/contract").CallOptions) => Promise<{
        flow: string;
        version: number;
        digest: string;
        warnings: {
            code: string;
            severity: "error" | "warning";
            node: string | null;
            field: string | null;
            line: number | null;
            column: number | null;
            message: string;
        }[];
        created: boolean;
    }>;
    lintFlow: (flow: import("@agentflow/contract").RegisterFlowBody, call?: import("@agentflow/contract").CallOptions) => Promise<{
        errors: {
            code: string;
            severity: "error" | "warning";
            node: string | null;
            field: string | null;
            line: number | null;
            column: number | null;
            message: string;
        }[];
        warnings: {
            code: string;
            severity: "error" | "warning";
            node: string | null;
            field: string | null;
            line: number | null;
            column: number | null;
            message: string;
        }[];
    }>;
    listFlows: (query?: import("@agentflow/contract").PageQuery, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
            flow: string;
            newestVersion: number;
            createdAt: string;
            updatedAt: string;
        }[];
        nextCursor: string | null;
    }>;
    getFlow: (name: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
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
        archivedAt: string | null;
        limits: {
            maxRunning: number | null;
            maxRunningPerKey: number | null;
        };
        versions: {
            version: number;
            digest: string;
            createdAt: string;
        }[];
        runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
    }>;
    archiveFlow: (name: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        flow: string;
        archivedAt: string;
    }>;
    setFlowLimits: (name: string, limits: import("@agentflow/contract").FlowLimitsBody, call?: import("@agentflow/contract").CallOptions) => Promise<{
        maxRunning: number | null;
        maxRunningPerKey: number | null;
    }>;
    getFlowVersion: (name: string, n: number, call?: import("@agentflow/contract").CallOptions) => Promise<{
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
    }>;
    saveLayout: (name: string, layout: import("@agentflow/core").Layout, layoutTag: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        flow: string;
        version: number;
        layoutTag: string;
    }>;
    startRun: ({ inputs, ...rest }: import("@agentflow/contract").StartRun, call?: import("@agentflow/contract").CallOptions) => Promise<{
        created: boolean;
        run: {
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
        };
    }>;
    listRuns: (query?: Partial<import("@agentflow/contract").ListRunsQuery>, call?: import("@agentflow/contract").CallOptions) => Promise<{
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
    }>;
    getRun: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<import("@agentflow/contract").RunAnswer>;
    getRunText: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<string>;
    getRunState: (id: string, loop?: string, call?: import("@agentflow/contract").CallOptions) => Promise<string>;
    getRunHistory: (id: string, query?: import("@agentflow/contract").HistoryQuery, call?: import("@agentflow/contract").CallOptions) => Promise<{
        items: {
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
        nextCursor: string | null;
    }>;
    getRunStateAt: (id: string, { iteration, ...query }: import("@agentflow/contract").StateAt, call?: import("@agentflow/contract").CallOptions) => Promise<string>;
    getRunDiff: (id: string, query: import("@agentflow/contract").DiffQuery, call?: import("@agentflow/contract").CallOptions) => Promise<{
        loop: string;
        epoch: number;
        from: number;
        to: number;
        patch: {
            op: "add" | "remove" | "replace";
            path: string;
            value?: unknown;
        }[];
    }>;
    forkRun: (id: string, { inputs, statePatchText, ...rest }: import("@agentflow/contract").ForkRun, call?: import("@agentflow/contract").CallOptions) => Promise<{
        created: boolean;
        run: {
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
        };
    }>;
    resumeRun: (id: string, { inputs, payloadText, ...rest }?: import("@agentflow/contract").ResumeRun, call?: import("@agentflow/contract").CallOptions) => Promise<{
        resumed: boolean;
        run: {
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
        };
    }>;
    cancelRun: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        executing: boolean;
        run: {
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
        };
    }>;
    resetRun: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
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
    }>;
    rerunRun: (id: string, { inputs, ...rest }?: import("@agentflow/contract").RerunRun, call?: import("@agentflow/contract").CallOptions) => Promise<{
        created: boolean;
        run: {
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
        };
    }>;
    deleteRun: (id: string, call?: import("@agentflow/contract").CallOptions) => Promise<void>;
    getStats: (call?: import("@agentflow/contract").CallOptions) => Promise<{
        runs: Record<"cancelled" | "failed" | "queued" | "running" | "succeeded" | "waiting", number>;
        queue: {
            status: "down" | "up";
            depth: number | null;
        };
        workers: number;
        iterationsPerMinute: number;
        stuck: number;
    }>;
    getReadiness: (call?: import("@agentflow/contract").CallOptions) => Promise<{
        status: "ready" | "unavailable";
        database: "down" | "up";
        queue: "down" | "up";
    }>;
    getSession: (call?: import("@agentflow/contract").CallOptions) => Promise<{
        required: boolean;
        key: {
            name: string;
            scope: "admin" | "read" | "run";
        } | null;
    }>;
    beginSession: (key: string, call?: import("@agentflow/contract").CallOptions) => Promise<{
        required: boolean;
        key: {
            name: string;
            scope: "admin" | "read" | "run";
        } | null;
    }>;
    endSession: (call?: import("@agentflow/contract").CallOptions) => Promise<void>;
    listWorkers: (call?: import("@agentflow/contract").CallOptions) => Promise<{
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
    }>;
    getSize: (call?: import("@agentflow/contract").CallOptions) => Promise<{
        databaseBytes: number;
        tables: {
            table: string;
            bytes: number;
            rows: number;
            deadRows: number;
        }[];
    }>;
    listAudit: (query?: import("@agentflow/contract").AuditQuery, call?: import("@agentflow/contract").CallOptions) => Promise<{
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
    }>;
};
/** Refusals are final; a missing answer is tried again until it comes, at most 2 s apart (K-5). */
export declare const queryClient: QueryClient;
/** What the server or the line says went wrong, with its code where there is one. */
export declare function problemOf(error: unknown): {
    readonly code: string | null;
    readonly message: string;
};
