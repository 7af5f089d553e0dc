import { defineNode, output } from "@agentflow/core";
import { z } from "zod";

/** Text as part of an address: lower case, every run of other characters one separator. */
export const toolSlug = defineNode({
  type: "tool.slug",
  inputs: { text: { type: "text" }, separator: { type: "text" } },
  pins: z.object({
    text: z.string("is needed"),
    separator: z.enum(["-", "_"], "is - or _").optional(),
  }),
  outputs: { slug: { type: "text" } },
  card: { title: "Slug", icon: "link", tone: "slate" },
  run: ({ inputs }) => {
    const words = (inputs.get("text") ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return output("slug", words.join(inputs.get("separator") || "-"));
  },
});
