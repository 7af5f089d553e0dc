import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Where the console is built; the same from src/ and from dist/. */
const BUILT = fileURLToPath(new URL("../../../web/dist", import.meta.url));

/** The console's own addresses, as its router knows them: nothing else is answered with its page. */
export const CONSOLE_PATHS = [
  "/",
  "/runs",
  "/runs/:id",
  "/parked",
  "/flows",
  "/flows/:name",
  "/flows/:name/versions/:version",
  "/workers",
  "/audit",
] as const;

/** Everything from this server, no inline script or style: what users wrote can never run (S-21). */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

const FOR_A_YEAR = "public, max-age=31536000, immutable";

/** Serves the console at `/`. Without a built console its addresses are not found, as any other. */
export async function serveConsole(app: FastifyInstance, folder = BUILT): Promise<void> {
  if (!existsSync(join(folder, "index.html"))) return;
  const assets = join(folder, "assets");
  const page = async (_request: unknown, reply: FastifyReply) =>
    reply
      .header("content-security-policy", PAGE_POLICY)
      .sendFile("index.html", folder, { cacheControl: false });
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: assets,
      prefix: "/assets/",
      index: false,
      // One route for each file, so that any other address is not found like everywhere.
      wildcard: false,
      cacheControl: false,
      // The names of assets hold a hash of what is in them; the page's does not.
      setHeaders: (reply, path) => {
        if (dirname(path) === assets) reply.header("cache-control", FOR_A_YEAR);
      },
    });
    for (const path of CONSOLE_PATHS) scope.get(path, page);
  });
}
