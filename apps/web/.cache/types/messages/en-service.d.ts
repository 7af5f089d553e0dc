/** What the console says about logging in, workers, the audit and flows. */
export declare const service: {
    session: {
        title: string;
        intro: string;
        key: string;
        go: string;
        hint: string;
        out: string;
        scope: {
            read: string;
            run: string;
            admin: string;
        };
        forbidden: (scope: string) => string;
    };
    workers: {
        title: string;
        list: string;
        none: string;
        queue: (depth: number) => string;
        queueDown: string;
        stuck: (runs: number) => string;
        alive: string;
        draining: string;
        silent: string;
        holding: (runs: number, most: number) => string;
        size: string;
        total: (size: string) => string;
        columns: {
            worker: string;
            state: string;
            holding: string;
            queue: string;
            version: string;
            started: string;
            seen: string;
            table: string;
            bytes: string;
            rows: string;
            dead: string;
        };
    };
    audit: {
        title: string;
        none: string;
        columns: {
            at: string;
            action: string;
            actor: string;
            remote: string;
            run: string;
            details: string;
        };
    };
    flows: {
        title: string;
        none: string;
        noFlow: string;
        name: string;
        newest: string;
        updated: string;
        runs: string;
        version: string;
        registered: string;
        digest: string;
        source: string;
        ir: string;
        findings: string;
        noFindings: string;
        inputs: string;
        outputs: string;
        nothing: string;
        line: (line: number) => string;
    };
};
