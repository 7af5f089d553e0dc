import { createServer, type AddressInfo } from "node:net";

/** A TCP port of 127.0.0.1 that was free a moment ago; whoever uses it must be ready to lose the race for it. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
