import { openApiDocument } from "@agentflow/contract";
import { ERRORS } from "@agentflow/core";
import swagger from "@fastify/swagger";
import type { StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

const FROM_HERE = "'self'";
const NOTHING = "'none'";

/** What the reference's page needs: its own files, calls to this server, and the icons inside its style sheet. */
const PAGE_POLICY = {
  "default-src": NOTHING,
  "script-src": FROM_HERE,
  "style-src": FROM_HERE,
  "img-src": `${FROM_HERE} data:`,
  "font-src": FROM_HERE,
  "connect-src": FROM_HERE,
  "base-uri": NOTHING,
  "form-action": NOTHING,
  "frame-ancestors": NOTHING,
};

/** Serves `/v1/openapi.json`, the reference at `/docs` and the error codes at `/docs/errors`, all from this process. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  const document = openApiDocument();
  // The library's type knows no OpenAPI 3.1; it passes the document on as it is.
  const specification = { document: document as unknown as StaticDocumentSpec["document"] };
  app.get("/v1/openapi.json", () => document);
  app.get("/docs/errors", (_request, reply) => reply.type("text/html; charset=utf-8").send(errorsPage()));
  await app.register(swagger, { mode: "static", specification });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: PAGE_POLICY,
    // No badge of an outside validator: nothing leaves the machine.
    uiConfig: { validatorUrl: null, docExpansion: "list", tryItOutEnabled: false },
    theme: { title: "AgentFlow API" },
  });
}

function errorsPage(): string {
  const entries = Object.entries(ERRORS).map(
    ([code, { family, httpStatus, text, advice }]) =>
      `<h2 id="${code}">${code}</h2><p>${family}, HTTP ${httpStatus}</p><p>${escaped(text)}</p>` +
      `<p><strong>What to do:</strong> ${escaped(advice)}</p>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>AgentFlow errors</title></head><body><main><h1>Errors</h1>${entries.join("")}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
