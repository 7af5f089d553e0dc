// an ordinary subflow with two outputs, called and destructured
const ticketIn = flow.input("ticket", "text");
const inspect = tool.nodejs(
  "Inspect one ticket",
  { ticket: ticketIn.value },
  `node ${flowDir}/scripts/inspect.mjs ${ticket}`,
);
const tidy = tool.nodejs("Tidy up", { analysis: inspect.result }, file("scripts/tidy.mjs"));
export const inspectTicket = flow.subflow("One ticket", { ticket: ticketIn }, flow(inspect, tidy), {
  summary: tidy.result,
  raw: inspect.result,
});

const pending = provide.text("Pending", { value: "T-1" });
const callInspect = flow.call("Inspect", inspectTicket, { ticket: pending.value });
const { summary, raw } = callInspect;
const show = display.markdown("Shown", { content: summary });
const analysis = display.code("Analysis", { content: raw });
export const run = flow("Run", callInspect, show, analysis);
