import { createServer } from "node:http";
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
  readonly port: number;
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
