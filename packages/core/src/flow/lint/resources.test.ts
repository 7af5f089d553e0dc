import { describe } from "vitest";
import { node } from "../../testing/build-ir.ts";
import { finds, loopWith, small } from "../../testing/lint-case.ts";
import type { LiteralPin } from "../ir.ts";

const text = (value: string): LiteralPin => ({ text: value });
const json = (value: unknown): LiteralPin => ({ json: JSON.stringify(value) });

/** A command with a context out of one node with these pins. */
const withContext = (definition: string, pins: Record<string, LiteralPin>) =>
  small((draft) => {
    draft.ir.nodes["ctx"] = node(definition, { pins });
    draft.node("only").inputs["context"] = "context";
    draft.wire("ctx.context > only.context");
  });

describe("context nodes (D51 to D54)", () => {
  for (const kind of ["knowledge", "skills", "mcp"]) {
    finds("D51", "ctx.ids", `context.${kind} with an id that is none`, {
      broken: withContext(`context.${kind}`, { ids: json(["notes", "../etc"]) }),
      mended: withContext(`context.${kind}`, { ids: json(["notes", "faq"]) }),
    });
  }
  finds("D51", "ctx.ids", "no ids at all", {
    broken: withContext("context.knowledge", {}),
    mended: withContext("context.knowledge", { ids: text("notes, faq") }),
  });
  finds("D51", "ctx.ids", "an id twice", {
    broken: withContext("context.knowledge", { ids: text("notes,notes") }),
    mended: withContext("context.knowledge", { ids: text("notes") }),
  });
  finds("D52", "ctx.workspace", "a blank workspace", {
    broken: withContext("context.workspace", { workspace: text(" "), access: text("read-write") }),
    mended: withContext("context.workspace", { workspace: text("repo"), access: text("read-write") }),
  });
  finds("D52", "ctx.workspace", "no workspace", {
    broken: withContext("context.workspace", {}),
    mended: withContext("context.workspace", { workspace: text("repo") }),
  });
  finds("D53", "ctx.access", "an unknown access", {
    broken: withContext("context.workspace", { workspace: text("repo"), access: text("write") }),
    mended: withContext("context.workspace", { workspace: text("repo"), access: text("read-only") }),
  });
  finds("D54", "ctx", "an empty bundle", {
    broken: withContext("context.bundle", { knowledge: json(null) }),
    mended: withContext("context.knowledge", { ids: text("notes") }),
  });
  finds("D51", "ctx.ids", "ids out of a provide node", {
    broken: small((draft) => {
      draft.ir.nodes["ids"] = node("provide.text", { pins: { value: text("a b") } });
      draft.ir.nodes["ctx"] = node("context.skills");
      draft.node("only").inputs["context"] = "context";
      draft.wire("ids.value > ctx.ids", "ctx.context > only.context");
    }),
    mended: withContext("context.skills", { ids: text("a") }),
  });
  finds("D12", "ctx", "a context node in a control chain", {
    broken: small((draft) => {
      draft.ir.nodes["ctx"] = node("context.knowledge", { pins: { ids: text("notes") } });
      draft.wire("only > ctx");
    }),
    mended: withContext("context.knowledge", { ids: text("notes") }),
  });
});

describe("ways of contexts and secrets", () => {
  finds("D13", "loop.state", "a context where a value is wanted", {
    broken: loopWith((draft) => {
      draft.ir.nodes["ctx"] = node("context.knowledge", { pins: { ids: text("notes") } });
      draft.unwire("initial.value > loop.state");
      draft.wire("ctx.context > loop.state");
    }),
    mended: loopWith(),
  });
  finds("D13", "report.content", "a secret wired to something else than a command", {
    broken: loopWith((draft) => {
      draft.ir.nodes["pass"] = node("provide.password", { pins: { value: text("TOKEN") } });
      draft.unwire("loop.state > report.content");
      draft.wire("pass.value > report.content");
    }),
    mended: loopWith(),
  });
  const named = (script: string) =>
    small((draft) => {
      draft.ir.nodes["pass"] = node("provide.password", { pins: { value: text("TOKEN") } });
      draft.node("only").inputs["token"] = "text";
      draft.node("only").script = script;
      draft.wire("pass.value > only.token");
    });
  finds("D61", "only.script", "a secret in a command line (F-22)", {
    broken: named("echo ${token}"),
    mended: named("cat $AGENTFLOW_INPUTS_JSON_FILE"),
  });
});

describe("an agent's prompt", () => {
  const agent = (given: Parameters<typeof node>[1]) =>
    small((draft) => {
      draft.ir.nodes["ask"] = node("agent.subAgent", given);
      draft.wire("only > ask");
    });
  finds("D06", "ask.body", "neither a prompt nor an input (F-27)", {
    broken: agent({}),
    mended: agent({ inputs: { topic: "text" }, pins: { topic: text("cheese") } }),
  });
  finds("D06", "ask.body", "a prompt and a file with one", {
    broken: agent({ body: "Say.", bodyRef: "scripts/there.mjs" }),
    mended: agent({ bodyRef: "scripts/there.mjs" }),
  });
  finds("D61", "ask.body", "a placeholder without an input", {
    broken: agent({ body: "On ${topic}." }),
    mended: agent({
      body: "On ${topic}, ${USER_PROMPT}.",
      inputs: { topic: "text" },
      pins: { topic: text("x") },
    }),
  });
});
