// Turns the texts of a record into a contact, or says what a human must decide about it.
import { readCountry } from "./countries.mjs";
import { readDate } from "./dates.mjs";

/** Columns a file must have; others are ignored. The order is the file's. */
export const COLUMNS = ["name", "email", "phone", "country", "joined", "note"];

const EMAIL = /^[^\s@,;:<>"()]+@[^\s@,;:<>"()]+\.[^\s@.,;:<>"()\d]{2,}$/u;

/**
 * `{ contact }` with everything in one spelling (ISO country and date, E.164 phone), or `{ problems }`, one for each
 * field that cannot be read without guessing. Name and e-mail address must be there, all else may be blank.
 */
export function readContact(texts) {
  const problems = [];
  const read = (field, reader) => {
    const found = texts[field] ?? "";
    const { value, reason } = reader(found);
    if (reason !== undefined) problems.push({ field, found, reason });
    return value ?? null;
  };
  const country = read("country", orNothing(readCountry));
  const countryUnread = problems.length > 0;
  const contact = {
    name: read("name", readName),
    email: read("email", readEmail),
    phone: read(
      "phone",
      orNothing((text) => readPhone(text, country, countryUnread)),
    ),
    country: country?.code ?? null,
    joined: read(
      "joined",
      orNothing((text) => readDate(text, country)),
    ),
    note: texts.note?.replace(/\r\n/g, "\n") || null,
  };
  return problems.length > 0 ? { problems } : { contact };
}

function orNothing(reader) {
  return (text) => (text === "" ? { value: null } : reader(text));
}

function readName(text) {
  const [, last, first] = /^([^,]+),([^,]+)$/.exec(text) ?? [];
  const inOrder = last === undefined ? text : `${first} ${last}`;
  const name = inOrder.replace(/\s+/gu, " ").trim().normalize("NFC");
  if (name === "") return { reason: "there is no name" };
  if (name.includes("\ufffd")) return { reason: "letters were lost before this file was written" };
  return { value: name };
}

function readEmail(text) {
  if (text === "") return { reason: "there is no address" };
  const [, bracketed = text] = /<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = bracketed
    .replace(/^mailto:/i, "")
    .trim()
    .toLowerCase();
  return EMAIL.test(address) ? { value: address } : { reason: "is no e-mail address" };
}

/** In E.164. A number without a country code is one of the contact's country; it waits for a country that is asked about. */
function readPhone(text, country, countryUnread) {
  const written = text.replace(/\(0\)/g, "").replace(/^(?:tel|phone|mob)[.:]+/i, "");
  if (!/^[\s+()\d./‑–-]+$/u.test(written)) return { reason: "has more in it than a number" };
  const digits = written.replace(/\D/g, "");
  let international = null;
  if (written.trim().startsWith("+")) international = digits;
  else if (digits.startsWith("00")) international = digits.slice(2);
  else if (country !== null) international = country.dial + national(digits, country);
  if (international === null)
    return countryUnread ? { value: null } : { reason: "could be a number of any country" };
  if (international.length < 8 || international.length > 15)
    return { reason: "has too few or too many digits" };
  return { value: `+${international}` };
}

/** Without the digit that is only dialled inside the country. */
function national(digits, { trunk }) {
  return trunk !== "" && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
}
