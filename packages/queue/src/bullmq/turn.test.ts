import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { writeOncePerTurn } from "./turn.ts";

function sink() {
  const calls: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => (calls.push(chunk), done()),
    writev: (chunks, done) => (calls.push(chunks.map(({ chunk }) => chunk as string).join("")), done()),
  });
  return { stream, calls };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("what one turn writes, its promises included, leaves in one call, in order", async () => {
  const { stream, calls } = sink();
  writeOncePerTurn(stream);
  stream.write("a");
  await Promise.resolve();
  stream.write("b");
  await Promise.resolve();
  stream.write("c");
  expect(calls).toEqual([]);
  await turn();
  expect(calls).toEqual(["abc"]);
  stream.write("d");
  await turn();
  expect(calls).toEqual(["abc", "d"]);
});

test("a stream that is told twice is changed once, and ends with everything written", async () => {
  const { stream, calls } = sink();
  writeOncePerTurn(stream);
  const { write } = stream;
  writeOncePerTurn(stream);
  expect(stream.write).toBe(write);
  stream.write("a");
  stream.end("b");
  await turn();
  expect(calls.join("")).toBe("ab");
});
