// Condition: looks at the state of its loop and answers with one word.
export default ({ state }) => {
  if (!Array.isArray(state?.records) || !Number.isInteger(state.cursor)) return "fail";
  return state.cursor < state.records.length ? "continue" : "done";
};
