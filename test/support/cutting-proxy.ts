import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** An address in front of PostgreSQL whose connections are cut around a chosen statement. */
export type CuttingProxy = {
  readonly url: string;
  /** Cuts the `nth` execution of the prepared statement: `before` it reaches the server, or `after` the server has run it. */
  cut(statement: string, nth: number, when: "before" | "after"): void;
  /** How often a connection was cut at a statement. */
  readonly cuts: number;
  close(): Promise<void>;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let plan: { bind: Buffer; left: number; when: "before" | "after" } | null = null;
  let cuts = 0;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
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
    }
    let answerIsLost = false;
    near.on("data", (chunk) => {
      const when = planned(chunk);
      if (when === "before") return void near.destroy();
      answerIsLost ||= when === "after";
      far.write(chunk);
    });
    // The server answers when the statement is over, and outside a transaction that means: when it is committed.
    far.on("data", (chunk) => void (answerIsLost ? near.destroy() : near.write(chunk)));
  });

  /** Whether these bytes of a client hold the execution that is to be cut. */
  function planned(chunk: Buffer): "before" | "after" | null {
    if (plan === null || !chunk.includes(plan.bind)) return null;
    plan.left -= 1;
    if (plan.left > 0) return null;
    const { when } = plan;
    plan = null;
    cuts += 1;
    return when;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    // A Bind message goes on with the portal's name, which is empty, and the statement's.
    cut: (statement, nth, when) => {
      plan = { bind: Buffer.from(`\0${statement}\0`), left: nth, when };
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
