// a conversation, one turn an iteration: the prompt is asked once, its answer becomes a part of the state
const start = provide.json("Start", {
  value: { topic: "a name for a durable loop", turns: [], settled: false },
});
const loop = control.while(
  "Until it is settled",
  { state: start.value, maxIterations: "10", timeout: "10m" },
  "!state.settled",
  prompt("turn", { topic: "state.topic", turns: "state.turns", turn: "attempt.attemptNumber" }),
  {
    outputMapping: { say: "turns[]", settled: "settled" },
    itemVariable: "attempt",
    retries: { max: 2, delayMs: 500, backoffFactor: 2 },
  },
);
const shown = display.code("Conversation", { content: loop.state });
export const run = flow("Run", loop, shown);
