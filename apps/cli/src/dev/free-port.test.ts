import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { nextFreePort } from "./free-port.ts";

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listen(port: number): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("F-30: a free port is taken, for a busy one the next free one", async () => {
  const busy = await listen(0);
  const next = await nextFreePort("127.0.0.1", busy);
  expect(next).toBeGreaterThan(busy);
  expect(await nextFreePort("127.0.0.1", next)).toBe(next);
  expect(await listen(next)).toBe(next);
});

test("port 0 is any free one", async () => {
  expect(await nextFreePort("127.0.0.1", 0)).toBeGreaterThan(0);
});

test("an address that is not this machine's is named, not tried on and on", async () => {
  await expect(nextFreePort("192.0.2.1", 4700)).rejects.toThrow("cannot listen on 192.0.2.1 port 4700");
});

test("the last port there is has no next one", async () => {
  await listen(65_535);
  await expect(nextFreePort("127.0.0.1", 65_535)).rejects.toThrow("no free port from 65535 up");
});
