import { createServer, type AddressInfo } from "node:net";
import { CommandError } from "../exit.ts";

const TRIES = 200;

/**
 * The first port from `port` up that nobody listens on (F-30); any free one for 0. Another process may still be faster:
 * whoever listens there must be ready to ask again.
 */
export async function nextFreePort(host: string, port: number): Promise<number> {
  for (let tried = port; tried < port + TRIES && tried <= 65_535; tried++) {
    const free = await tryPort(host, tried);
    if (free !== null) return free;
  }
  throw new CommandError(`no free port from ${port} up on ${host}; choose another one with --port`);
}

function tryPort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      if (code === "EADDRINUSE") resolve(null);
      else reject(new CommandError(`cannot listen on ${host} port ${port}: ${message}`));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  });
}
