/** One message of an event stream: its id, if it has one, and its data. */
export type StreamMessage = { readonly id: string | null; readonly data: string };

/**
 * Reads server-sent events from a body, as the HTML standard says; null stands for each comment, which shows that the other side
 * is there. A message that is cut off by the end is no message.
 */
export async function* parseEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamMessage | null> {
  const decoder = new TextDecoder();
  let rest = "";
  let id: string | null = null;
  let data: string[] = [];
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (line === "") {
        if (data.length > 0) yield { id, data: data.join("\n") };
        [id, data] = [null, []];
      } else if (line.startsWith(":")) yield null;
      else if (field === "id") id = value;
      else if (field === "data") data.push(value);
    }
  }
}
