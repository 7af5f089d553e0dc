import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** An address in front of a server whose connections are cut around a chosen statement, or stand still for a while. */
export type CuttingProxy = {
  readonly url: string;
  /** Cuts the `nth` execution of the prepared statement: `before` it reaches the server, or `after` the server has run it. */
  cut(statement: string, nth: number, when: "before" | "after"): void;
  /** How often a connection was cut at a statement. */
  readonly cuts: number;
  /**
   * From now on nothing passes, in either direction, on connections that began with bytes that hold `opening`; on all of them
   * when it is left out. What was sent meanwhile arrives at the release, also when its sender has given up by then.
   */
  hold(opening?: string): void;
  release(): void;
  close(): Promise<void>;
};

type Plan = { readonly bind: Buffer; left: number; readonly when: "before" | "after" };

/** Proxies the server of a URL, PostgreSQL's or any other; the proxy's URL has another port. */
export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const connections = new Set<Connection>();
  let plan: Plan | null = null;
  let cuts = 0;
  let held: { readonly opening: string } | null = null;

  /** Whether these bytes of a client hold the execution that is to be cut. */
  const planned = (chunk: Buffer): "before" | "after" | null => {
    if (plan === null || !chunk.includes(plan.bind)) return null;
    plan.left -= 1;
    if (plan.left > 0) return null;
    const { when } = plan;
    plan = null;
    cuts += 1;
    return when;
  };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const isHeld = (opening: Buffer): boolean => held !== null && opening.includes(held.opening);
    const connection = new Connection(near, far, { planned, isHeld });
    connections.add(connection);
    void connection.over.then(() => connections.delete(connection));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const url = new URL(serverUrl);
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
    hold(opening = "") {
      held = { opening };
    },
    release() {
      held = null;
      for (const connection of connections) connection.flush();
    },
    async close() {
      for (const connection of connections) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Judgement = {
  planned(chunk: Buffer): "before" | "after" | null;
  isHeld(opening: Buffer): boolean;
};

/** A client and the server, with what is kept back between them. */
class Connection {
  readonly over: Promise<void>;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #judge: Judgement;
  readonly #kept: { readonly to: Socket; readonly chunk: Buffer }[] = [];
  #opening: Buffer | null = null;
  #answerIsLost = false;

  constructor(near: Socket, far: Socket, judge: Judgement) {
    this.#near = near;
    this.#far = far;
    this.#judge = judge;
    near.on("error", () => {});
    far.on("error", () => {});
    near.on("data", (chunk) => this.#fromClient(chunk));
    far.on("data", (chunk) => this.#pass(near, chunk));
    far.on("close", () => near.destroy());
    near.on("close", () => {
      // What a client sent before it gave up is on its way.
      if (!this.#isHeld) far.destroy();
    });
    this.over = new Promise((resolve) => far.on("close", () => resolve()));
  }

  get #isHeld(): boolean {
    return this.#judge.isHeld(this.#opening ?? Buffer.alloc(0));
  }

  #fromClient(chunk: Buffer): void {
    this.#opening ??= chunk;
    const when = this.#judge.planned(chunk);
    if (when === "before") return this.destroy();
    this.#pass(this.#far, chunk);
    this.#answerIsLost ||= when === "after";
  }

  #pass(to: Socket, chunk: Buffer): void {
    if (this.#isHeld) return void this.#kept.push({ to, chunk });
    // The server answers when the statement is over, and outside a transaction that means: when it is committed.
    if (to === this.#near && this.#answerIsLost) return this.destroy();
    to.write(chunk);
  }

  flush(): void {
    for (const { to, chunk } of this.#kept.splice(0)) if (!to.destroyed) this.#pass(to, chunk);
    if (this.#near.destroyed) this.#far.end();
  }

  destroy(): void {
    this.#near.destroy();
    this.#far.destroy();
  }
}
