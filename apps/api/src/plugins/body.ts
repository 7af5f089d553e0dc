import type { FastifyInstance, FastifyRequest } from "fastify";

/** A body above the route's limit. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** How much of a body that is too large anyway is read, so that its sender gets to read the answer. */
const DISCARD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Takes every body as raw bytes, whatever its type: routes decide what they accept. Fastify's own parsers would parse JSON,
 * which loses what the text says (L-46).
 */
export function takeRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
    readBytes(payload, request.routeOptions.bodyLimit ?? 0),
  );
}

/** All of the body. Above the limit the rest is read and dropped: an answer sent earlier is lost when the connection is reset. */
async function readBytes(payload: AsyncIterable<Buffer>, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of payload) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > limitBytes + DISCARD_MAX_BYTES) break;
  }
  if (bytes > limitBytes) throw new BodyTooLarge(limitBytes);
  return Buffer.concat(chunks);
}
