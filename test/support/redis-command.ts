import { connect } from "node:net";

/** Sends one command to a Redis and returns its answer when that is a number or a word; throws on an error. */
export function redisCommand(url: string, ...words: string[]): Promise<string> {
  const { hostname, port, password } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 5000 });
    let answer = "";
    socket.on("connect", () => socket.write(encode(["AUTH", password]) + encode(words)));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      const [, reply, rest] = answer.split("\r\n");
      if (rest === undefined || reply === undefined) return;
      socket.destroy();
      if (reply.startsWith("-")) reject(new Error(reply));
      else resolve(reply.slice(1));
    });
    socket.on("error", reject);
    socket.on("timeout", () => socket.destroy(new Error("Redis does not answer")));
  });
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}
