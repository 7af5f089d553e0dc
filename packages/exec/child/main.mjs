// The warm child process: loads the modules of one flow version and runs their functions, one call at a time. Plain JavaScript,
// because it runs from the sources and from the compiled package alike. The other side is src/warm/channel.ts.
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { deserialize } from "node:v8";

const CHANNEL = 3;
/** Kinds of an answer; `ANSWER` in src/warm/channel.ts. */
const [TEXT, JSON_TEXT, THREW, NO_FUNCTION, NOT_JSON] = [1, 2, 3, 4, 5];
const ANSWER_HEADER_BYTES = 12;
/** Longer messages of errors are cut: the stack is in the log. */
const MAX_MESSAGE_UNITS = 4000;

const [, , flowDir] = process.argv;
const home = process.cwd();
const functions = new Map();
/** Processes that calls started, as far as they still run. */
const started = new Set();
let startedAny = false;
let current = null;

subscribe("child_process", ({ process: child }) => {
  startedAny = true;
  started.add(child);
  child.once("exit", () => started.delete(child));
});

const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
// The worker let go or died: nobody waits for an answer any more.
channel.on("error", () => process.exit(1)).on("end", () => process.exit(0));
channel.on("data", readFrames());

/** Cuts the stream into messages: four bytes of length, then a structured clone. */
function readFrames() {
  let kept = [];
  let size = 0;
  let wanted = 4;
  return (chunk) => {
    kept.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    let bytes = kept.length === 1 ? chunk : Buffer.concat(kept);
    for (;;) {
      wanted = bytes.length < 4 ? 4 : 4 + bytes.readUInt32LE(0);
      if (bytes.length < wanted) break;
      receive(deserialize(bytes.subarray(4, wanted)));
      bytes = bytes.subarray(wanted);
    }
    kept = bytes.length === 0 ? [] : [bytes];
    size = bytes.length;
  };
}

function receive(message) {
  if (message.abort === undefined) void answer(message);
  else if (current !== null) {
    current.aborted = message.abort;
    current.controller?.abort(reasonOf(message.abort));
  }
}

function reasonOf(why) {
  return why === "deadline"
    ? new DOMException("The active time of the loop is used up.", "TimeoutError")
    : new DOMException("The work was stopped.", "AbortError");
}

async function answer(call) {
  current = { aborted: null, controller: null };
  startedAny = false;
  if (process.cwd() !== home) process.chdir(home);
  let kind = NO_FUNCTION;
  let body = "";
  try {
    const run = functions.get(call.file) ?? (await load(call.file));
    kind = THREW;
    const given = run(argumentsOf(call, current));
    const result = typeof given?.then === "function" ? await given : given;
    kind = NOT_JSON;
    [kind, body] = written(result);
  } catch (error) {
    body = messageOf(error);
    if (kind !== NOT_JSON) process.stderr.write(`${format(error)}\n`);
  }
  current = null;
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write("", resolve));
  send(kind, body);
}

async function load(file) {
  const { default: run } = await import(pathToFileURL(join(flowDir, file)).href);
  if (typeof run !== "function") throw new Error(`${file} has no function as its default export.`);
  functions.set(file, run);
  return run;
}

/** What the function is called with. Values are parsed when they are asked for: a large state may not be. */
function argumentsOf(call, turn) {
  let inputs;
  let state;
  let resume;
  const parsed = (text) => (text === null ? null : JSON.parse(text));
  return {
    get inputs() {
      return (inputs ??= JSON.parse(call.inputs));
    },
    get state() {
      return (state ??= parsed(call.state));
    },
    stateText: call.state,
    get resume() {
      return (resume ??= parsed(call.resume));
    },
    context: parsed(call.context),
    iteration: call.iteration,
    maxIterations: call.maxIterations,
    remainingMs: call.deadlineMs,
    idempotencyKey: call.idempotencyKey,
    get signal() {
      if (turn.controller === null) {
        turn.controller = new AbortController();
        if (turn.aborted !== null) turn.controller.abort(reasonOf(turn.aborted));
      }
      return turn.controller.signal;
    },
    log: (...values) => void process.stderr.write(`${format(...values)}\n`),
  };
}

/** Text stays text, nothing is blank, everything else is JSON. */
function written(result) {
  if (typeof result === "string") return [TEXT, result];
  if (result === undefined) return [TEXT, ""];
  const text = JSON.stringify(result);
  if (text === undefined) throw new Error(`a ${typeof result} has no JSON`);
  return [JSON_TEXT, text];
}

function messageOf(error) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : format(error);
  return text.slice(0, MAX_MESSAGE_UNITS);
}

function send(kind, text) {
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(ANSWER_HEADER_BYTES + bytes);
  frame.writeUInt32LE(bytes, 0);
  frame.writeUInt8(kind, 4);
  frame.writeUInt8(startedAny || started.size > 0 ? 1 : 0, 5);
  frame.writeUInt16LE(0, 6);
  frame.writeUInt32LE(Math.ceil(process.memoryUsage.rss() / 1024), 8);
  frame.write(text, ANSWER_HEADER_BYTES);
  channel.write(frame);
}
