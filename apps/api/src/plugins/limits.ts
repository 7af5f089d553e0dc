import type { FastifyInstance } from "fastify";

/** What one caller may hold of the service without doing anything with it; durations in ms. */
export type ConnectionLimits = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body; 16 MiB need it on slow lines. */
  readonly requestMs: number;
  /** Without a byte in either direction; event streams send a sign of life more often. */
  readonly idleMs: number;
  /** Open at once. At the limit those between two requests are closed, to make room for who comes next. */
  readonly connections: number;
  /** How often Node looks for requests that are too slow. */
  readonly checkMs: number;
};

export const connectionLimits: ConnectionLimits = {
  headersMs: 15_000,
  requestMs: 120_000,
  idleMs: 120_000,
  connections: 4096,
  checkMs: 5000,
};

/** The options of Fastify that make the limits (S-15). Headers above 16 KiB are refused by Node itself. */
export function serverOptions(limits: ConnectionLimits) {
  return {
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
  };
}

/** Bounds the sockets of the server: idle ones go first, so that who parks sockets locks nobody out for long. */
export function limitConnections(app: FastifyInstance, { connections }: ConnectionLimits): void {
  app.server.maxConnections = connections;
  app.server.on("drop", () => app.server.closeIdleConnections());
}
