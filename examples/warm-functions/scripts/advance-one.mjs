// Body: handles the record at the cursor and returns the next state, whole.
const CURRENCIES = ["CHF", "EUR", "GBP", "USD"];

export default async ({ state, idempotencyKey, log }) => {
  const [id, amount, currency] = state.records[state.cursor].split(";");
  const cursor = state.cursor + 1;
  let reason = null;
  if (!/^\d+(?:\.\d{1,2})?$/.test(amount)) reason = "no amount";
  else if (!CURRENCIES.includes(currency)) reason = `unknown currency ${currency}`;
  if (reason !== null) return { ...state, cursor, invalid: [...state.invalid, { id, reason }] };
  // An API that books the amount would get the key, and the function would say `effects: true` in the flow.
  log(`booked ${id} with key ${idempotencyKey}`);
  return { ...state, cursor, valid: [...state.valid, id] };
};
