import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What `/readyz` shows; ready only when all are true. */
export type Readiness = { readonly database: boolean; readonly queue: boolean; readonly consuming: boolean };

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/healthz` (alive), `/readyz` (red while Postgres or the queue is away) and `/metrics` on loopback or where told. */
export async function startHealthServer(options: {
  readonly host: string;
  /** The first of them that is free is taken. */
  readonly ports: { readonly from: number; readonly to: number };
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
    };
    if (request.method !== "GET" && request.method !== "HEAD")
      return answer(405, { error: "method_not_allowed" });
    if (request.url === "/healthz") return answer(200, { status: "ok" });
    if (request.url === "/metrics") {
      void options.metrics.text().then(
        (text) => response.writeHead(200, { "content-type": options.metrics.contentType }).end(text),
        () => answer(500, { error: "internal" }),
      );
      return;
    }
    if (request.url !== "/readyz") return answer(404, { error: "not_found" });
    void options.readiness().then((readiness) => {
      const ready = Object.values(readiness).every(Boolean);
      answer(ready ? 200 : 503, { status: ready ? "ready" : "not ready", ...readiness });
    });
  });
  server.requestTimeout = 5000;
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(
  server: Server,
  { host, ports }: { readonly host: string; readonly ports: { readonly from: number; readonly to: number } },
): Promise<void> {
  for (let port = ports.from; ; port++) {
    const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      server.once("error", resolve);
      server.listen(port, host, () => {
        server.off("error", resolve);
        resolve(null);
      });
    });
    if (problem === null) return;
    if (problem.code !== "EADDRINUSE" || port >= ports.to) throw problem;
  }
}
