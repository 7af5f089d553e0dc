// Body: handles the record at the cursor and prints the next state, whole.
import { readFileSync } from "node:fs";

const CURRENCIES = ["CHF", "EUR", "GBP", "USD"];

const { state, idempotencyKey } = JSON.parse(readFileSync(process.env.AGENTFLOW_INPUTS_JSON_FILE, "utf8"));
const [id, amount, currency] = state.records[state.cursor].split(";");

let reason = null;
if (!/^\d+(?:\.\d{1,2})?$/.test(amount)) reason = "no amount";
else if (!CURRENCIES.includes(currency)) reason = `unknown currency ${currency}`;
// An API that books the amount would get the key: when this step runs again, the API has seen it.
else console.error(`booked ${id} with key ${idempotencyKey}`);

console.log(
  JSON.stringify({
    ...state,
    cursor: state.cursor + 1,
    valid: reason === null ? [...state.valid, id] : state.valid,
    invalid: reason === null ? state.invalid : [...state.invalid, { id, reason }],
  }),
);
