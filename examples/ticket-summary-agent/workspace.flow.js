// an ordinary subflow with two outputs, called and destructured
const ticketIn = flow.input("ticket", "text");
const inspect = agent.subAgent(
  "Inspect one ticket",
  { ticket: ticketIn.value },
  `Goal, risk and next step of this one ticket.`,
);
const tidy = agent.subAgent(
  "Tidy up",
  { analysis: inspect.result },
  `A summary the caller can show as it is.`,
);
export const inspectTicket = flow.subflow("One ticket", { ticket: ticketIn }, flow(inspect, tidy), {
  summary: tidy.result,
  raw: inspect.result,
});

const pending = provide.text("Pending", {
  value: "T-1: the export of the March report stops at 90 % since the update; a customer waits for it.",
});
const callInspect = flow.call("Inspect", inspectTicket, { ticket: pending.value });
const { summary, raw } = callInspect;
const show = display.markdown("Shown", { content: summary });
const analysis = display.markdown("Analysis", { content: raw });
export const run = flow("Run", callInspect, show, analysis);
