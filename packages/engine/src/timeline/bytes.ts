/** Bytes as they grow. Numbers are written seven bits at a time, the low ones first. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];
  #small: number[] = [];

  number(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.#small.push((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#small.push(rest);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#parts.push(Uint8Array.from(this.#small), bytes);
    this.#small = [];
    return this;
  }

  done(): Uint8Array {
    if (this.#parts.length === 0) return Uint8Array.from(this.#small);
    return Buffer.concat([...this.#parts, Uint8Array.from(this.#small)]);
  }
}

/** Reads what a `ByteWriter` wrote, in the same order. Throws when it ends too early. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Error("a stored state difference is cut off");
      this.#at += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
    }
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new Error("a stored state difference is cut off");
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#at);
  }
}
