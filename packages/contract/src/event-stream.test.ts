import { expect, test } from "vitest";
import { parseEventStream } from "./event-stream.ts";

async function read(...chunks: (string | Uint8Array)[]) {
  const found = [];
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  async function* body() {
    yield* bytes;
  }
  for await (const message of parseEventStream(body())) found.push(message);
  return found;
}

test("L-50: messages come with their id and data; a comment shows that the other side is there", async () => {
  expect(await read('retry: 1000\n\nid: 7\ndata: {"a":1}\n\n:\n\nid: 8\ndata: x\n\n')).toEqual([
    { id: "7", data: '{"a":1}' },
    null,
    { id: "8", data: "x" },
  ]);
});

test("L-50: chunks may be cut anywhere, inside a character and between the two of a line end", async () => {
  const whole = new TextEncoder().encode("id: 1\r\ndata: é 😀\r\n\r\nid: 2\ndata: b\n\n");
  for (let cut = 1; cut < whole.length; cut += 1) {
    expect(await read(whole.subarray(0, cut), whole.subarray(cut)), `cut at ${cut}`).toEqual([
      { id: "1", data: "é 😀" },
      { id: "2", data: "b" },
    ]);
  }
});

test("L-50: several data lines are one text; unknown fields are passed over; what is cut off is no message", async () => {
  expect(await read("event: x\ndata: a\ndata:b\ndata\n\ndata: never ended")).toEqual([
    { id: null, data: "a\nb\n" },
  ]);
  expect(await read()).toEqual([]);
});
