import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { collectOutput } from "./output.ts";

describe("the collector of one stream", () => {
  it("L-25: counts bytes over any chunks; exactly the limit is fine, one more is not", async () => {
    const stream = new PassThrough();
    const onOverflow = vi.fn();
    const output = collectOutput(stream, 10_000, onOverflow);
    for (let index = 0; index < 10_000; index += 1) stream.write(Buffer.from([index % 251]));
    await output.close();
    expect(output.overflowed).toBe(false);
    expect([...output.bytes()]).toEqual(Array.from({ length: 10_000 }, (_, index) => index % 251));

    const other = new PassThrough();
    const over = collectOutput(other, 5, onOverflow);
    other.write("abcd");
    other.end("ef and much more");
    await over.end;
    expect(over.overflowed).toBe(true);
    expect(Buffer.from(over.bytes()).toString()).toBe("abcde");
    expect(onOverflow).toHaveBeenCalledTimes(1);
  });

  it("L-25: reads on past the limit so that the writer never blocks, and keeps none of it", async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    const output = collectOutput(stream, 4, () => {});
    for (let index = 0; index < 100; index += 1) stream.write("0123456789");
    stream.end();
    await output.end;
    expect(output.ended).toBe(true);
    expect(Buffer.from(output.bytes()).toString()).toBe("0123");
  });

  it("L-28: close does not wait for a stream that stays open", async () => {
    const stream = new PassThrough();
    const output = collectOutput(stream, 100, () => {});
    stream.write("kept");
    await output.close();
    expect(Buffer.from(output.bytes()).toString()).toBe("kept");
    expect(stream.destroyed).toBe(true);
  });

  it("L-28: a read error ends the stream, and what came before it counts", async () => {
    const stream = new PassThrough();
    const output = collectOutput(stream, 100, () => {});
    stream.write("kept");
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy(new Error("EIO"));
    await output.end;
    expect(Buffer.from(output.bytes()).toString()).toBe("kept");
  });
});
