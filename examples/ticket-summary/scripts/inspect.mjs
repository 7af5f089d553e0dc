// Goal, risk and next step of one ticket, as JSON. The ticket's number is the only argument.
import { readFileSync } from "node:fs";

/** The first that matches says what happens next. */
const RULES = [
  { words: /\b(?:lost|deleted|gone)\b/i, risk: "high", next: "restore from the last backup, today" },
  { words: /\b(?:refund|charged|invoice)\b/i, risk: "medium", next: "hand over to accounting" },
  { words: /\b(?:password|log ?in|account)\b/i, risk: "medium", next: "send a link to set a new password" },
  { words: /./, risk: "low", next: "answer within two days" },
];

const [, , number] = process.argv;
const tickets = JSON.parse(readFileSync(new URL("../data/tickets.json", import.meta.url), "utf8"));
const ticket = Object.hasOwn(tickets, number) ? tickets[number] : null;
if (ticket === null) {
  console.error(`there is no ticket ${number}; there are ${Object.keys(tickets).join(", ")}`);
  process.exit(1);
}
const { risk, next } = RULES.find(({ words }) => words.test(ticket.text));
console.log(JSON.stringify({ ticket: number, from: ticket.from, goal: ticket.subject, risk, next }));
