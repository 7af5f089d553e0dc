import { canonicalNumber } from "./number.ts";
import { decodeString, quote } from "./strings.ts";
import * as T from "./tokens.ts";
import { Tokens } from "./tokens.ts";

/** An open container: members of an object by canonical key, or the text of an array so far. */
interface Frame {
  readonly members: [key: string, value: string][] | null;
  key: string | null;
  text: string;
}

/**
 * Canonical text of a JSON text that `scan` has passed, for fingerprints (L-38, P-51): keys sorted by UTF-16 units, one
 * spelling per decimal value of a number (−0 differs from 0) and per string. Equal values and only they give equal texts.
 */
export function canonical(text: string): string {
  const tokens = new Tokens(text);
  const frames: Frame[] = [];
  let result = "";
  for (let kind = tokens.next(); kind !== T.END; kind = tokens.next()) {
    if (kind === T.COMMA || kind === T.COLON) continue;
    const frame = frames.at(-1);
    if (kind === T.OPEN_OBJECT || kind === T.OPEN_ARRAY) {
      frames.push({ members: kind === T.OPEN_OBJECT ? [] : null, key: null, text: "" });
    } else if (kind === T.STRING && frame?.members && frame.key === null) {
      frame.key = decodeString(tokens.raw());
    } else if (kind === T.CLOSE_OBJECT || kind === T.CLOSE_ARRAY) {
      const value = closed(frames.pop());
      result = put(frames.at(-1), value);
    } else {
      result = put(frame, scalar(tokens, kind));
    }
  }
  if (result === "" || frames.length > 0) throw new Error("the JSON text was not scanned");
  return result;
}

function scalar(tokens: Tokens, kind: number): string {
  const raw = tokens.raw();
  if (kind === T.BROKEN) throw new Error("the JSON text was not scanned");
  if (kind === T.NUMBER) return canonicalNumber(raw);
  return kind === T.STRING && tokens.escaped ? quote(decodeString(raw)) : raw;
}

function put(frame: Frame | undefined, value: string): string {
  if (frame === undefined) return value;
  if (frame.members === null) {
    frame.text += frame.text === "" ? value : `,${value}`;
  } else {
    frame.members.push([frame.key ?? "", value]);
    frame.key = null;
  }
  return value;
}

/** Texts are added, not joined: the engine then copies a deep value once, not once for each level. */
function closed(frame: Frame | undefined): string {
  if (frame === undefined) throw new Error("the JSON text was not scanned");
  if (frame.members === null) return `[${frame.text}]`;
  let text = "";
  for (const [key, value] of frame.members.sort(byKey)) {
    text += `${text === "" ? "" : ","}${quote(key)}:${value}`;
  }
  return `{${text}}`;
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
