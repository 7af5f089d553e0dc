import { createServer, connect, type AddressInfo, type Socket } from "node:net";

/** A fixed address in front of a server that moves or goes away. */
export type Gate = {
  readonly port: number;
  /** Lets connections through to `port` of 127.0.0.1. */
  open(port: number): void;
  /** Cuts all connections and refuses new ones. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
};

export async function startGate(): Promise<Gate> {
  const sockets = new Set<Socket>();
  let target = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", () => resolve());
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    open: (to) => void (target = to),
    async shut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    reopen: () => listen(port),
  };
}
