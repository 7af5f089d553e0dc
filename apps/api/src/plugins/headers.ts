import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

/** Answers are data: a browser that shows one may load and run nothing (S-21). */
const NOTHING = ["'none'"];

/** Security headers on every answer, errors included. Pages loosen the policy for themselves. */
export async function sendSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: NOTHING,
        baseUri: NOTHING,
        formAction: NOTHING,
        frameAncestors: NOTHING,
      },
    },
    // TLS ends in front of this process, which must say this then.
    strictTransportSecurity: false,
    xFrameOptions: { action: "deny" },
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });
}
