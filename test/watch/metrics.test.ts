import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { createDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { scriptFlow } from "../crash/flows.ts";
import { queueKinds } from "../crash/queue-place.ts";
import { Rig } from "../crash/rig.ts";
import { freePort } from "../support/free-port.ts";

type Target = { readonly expr?: string; readonly rawSql?: string; readonly datasource: { uid: string } };
type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
};

const root = new URL("../../", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), "utf8");
const { panels } = JSON.parse(text("ops/grafana/dashboards/agentflow.json")) as {
  panels: readonly { title: string; targets: readonly Target[] }[];
};
const targets = panels.flatMap(({ targets: of }) => of);
const { groups } = parse(text("ops/prometheus/alerts.yml")) as {
  groups: readonly { rules: readonly Rule[] }[];
};
const rules = groups.flatMap(({ rules: of }) => of);
const expressions = [...rules, ...targets].flatMap(({ expr }) => (expr === undefined ? [] : [expr]));

/** The parts of a PromQL expression of one kind; throws where the grammar does not take it. */
function parts(expression: string, kind: "Identifier" | "none"): string[] {
  const found: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expression}`);
      if (type.name === kind && node.parent?.name === "VectorSelector")
        found.push(expression.slice(from, to));
    },
  });
  return found;
}

test("S-24, S-25: every expression of dashboard and alerts is PromQL, and the check can tell", () => {
  expect(expressions.length).toBeGreaterThan(30);
  for (const expression of expressions) parts(expression, "none");
  expect(() => parts("sum(rate(x[5m])", "none")).toThrow("not PromQL");
});

test("S-24: every query of the dashboard runs on the tables of this release", async () => {
  const database = await createDatabase(inject("postgresUrl"));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const queries = targets.flatMap(({ rawSql }) => (rawSql === undefined ? [] : [rawSql]));
    expect(queries.length).toBeGreaterThan(4);
    for (const query of queries) {
      const { fields } = await client.query(
        query.replaceAll(/\$__timeFilter\((\w+)\)/g, "$1 > now() - interval '6 h'"),
      );
      expect(fields.length).toBeGreaterThan(1);
    }
  } finally {
    await client.end();
    await database.drop();
  }
});

test("S-25: every metric of dashboard and alerts is in what API and worker really answer", async () => {
  const rig = await Rig.open(queueKinds[0]!);
  const flow = scriptFlow({ done: 2 });
  await rig.register(flow);
  const port = await freePort();
  await rig.realWorker({ AGENTFLOW_WORKER_PORT: String(port) });
  const api = await rig.realApi();
  const { run } = await api.client.startRun({ flow: flow.name });
  await rig.reaches(run.id, "succeeded");
  const scrapes = await Promise.all(
    [`http://127.0.0.1:${port}/metrics`, `${api.url}/metrics`].map(async (url) => (await fetch(url)).text()),
  );
  const told = scrapes.join("\n");
  const names = new Set(expressions.flatMap((expression) => parts(expression, "Identifier")));
  // `up` is Prometheus' own.
  names.delete("up");
  expect(names.size).toBeGreaterThan(15);
  for (const name of names)
    expect(told).toMatch(new RegExp(`^# TYPE ${name.replace(/_(bucket|sum|count)$/, "")} `, "m"));
  expect(told).toContain(`agentflow_iterations_total{flow="${flow.name}",decision="done"} 1`);
});

test("S-25: each alert has its part in docs/operations.md, and each of those has its alert", () => {
  const [, alarms = ""] = text("docs/operations.md").split("## Alarms");
  const headings = [...alarms.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
});

test("S-24, S-25: the services of the compose profile are given the files of the repository", () => {
  const { services } = parse(text("docker-compose.yml")) as {
    services: Record<
      string,
      { volumes?: string[]; environment?: Record<string, string>; profiles?: string[] }
    >;
  };
  for (const name of ["grafana", "prometheus"]) {
    expect(services[name]?.profiles).toEqual(["watch"]);
    expect(services[name]?.volumes?.some((volume) => volume.startsWith("./ops/"))).toBe(true);
  }
  const { scrape_configs: jobs } = parse(text("ops/prometheus/prometheus.yml")) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  const ports = jobs[1]?.static_configs[0]?.targets.map((target) => Number(target.split(":")[1])) ?? [];
  expect(services["worker"]?.environment?.["AGENTFLOW_WORKER_PORT"]).toBe(`${ports[0]}-${ports.at(-1)}`);
  const { datasources } = parse(text("ops/grafana/provisioning/datasources/agentflow.yml")) as {
    datasources: { uid: string }[];
  };
  const known = datasources.map(({ uid }) => uid);
  expect(targets.filter(({ datasource }) => !known.includes(datasource.uid))).toEqual([]);
});
