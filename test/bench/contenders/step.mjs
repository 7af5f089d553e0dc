const pads = new Map();

/** The step every contender does: adds 1 to the counter of a state whose JSON text is about `bytes` long. */
export function firstState(bytes) {
  const length = Math.max(0, bytes - 18);
  if (!pads.has(length)) pads.set(length, noise(length));
  return { n: 0, pad: pads.get(length) };
}

/** Text that compresses about as well as text does, always the same. */
function noise(length) {
  let text = "";
  for (let seed = 1; text.length < length; seed = (seed * 48_271) % 2_147_483_647)
    text += `${seed.toString(36)} `;
  return text.slice(0, length);
}

export function nextState(state) {
  return { ...state, n: state.n + 1 };
}

/** Throws unless the loop counted to `iterations` and kept the rest of its state. */
export function checkState(state, iterations, bytes) {
  if (state?.n !== iterations)
    throw new Error(`a loop of ${iterations} ended at ${JSON.stringify(state?.n)}`);
  if (state.pad !== firstState(bytes).pad) throw new Error("a loop lost the rest of its state");
}

export const STATE_BYTES = 200;
