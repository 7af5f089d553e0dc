// Reads the dates people write, and refuses those that no calendar has.

/** English, German, French, Spanish, Italian and Portuguese, by their first letters. */
const MONTHS = [
  ["jan", "ene", "gen"],
  ["feb", "fév", "fev"],
  ["mar", "mär", "maer"],
  ["apr", "avr", "abr"],
  ["may", "mai", "mag"],
  ["jun", "juin", "giu"],
  ["jul", "juil", "lug"],
  ["aug", "aoû", "aou", "ago"],
  ["sep", "set"],
  ["oct", "okt", "ott", "out"],
  ["nov"],
  ["dec", "dez", "déc", "dic"],
];

/** The shop that this list comes from opened and exported it in these years. */
const [FIRST_YEAR, LAST_YEAR] = [1995, 2025];

const MS_PER_DAY = 24 * 60 * 60 * 1000;
/** Spreadsheets count days from here. */
const SPREADSHEET_START_MS = Date.UTC(1899, 11, 30);

/** `{ value: "2021-03-01" }`, or `{ reason }`. In `monthFirst` countries 03/04/2021 is the 4th of March. */
export function readDate(text, country) {
  const parts = partsOf(text.trim(), country?.monthFirst === true);
  if (parts === null) return { reason: "is no date" };
  const [year, month, day] = parts;
  if (year < FIRST_YEAR || year > LAST_YEAR)
    return { reason: `is not between ${FIRST_YEAR} and ${LAST_YEAR}` };
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return { reason: "is in no calendar" };
  return { value: date.toISOString().slice(0, 10) };
}

function partsOf(text, monthFirst) {
  let found = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ][\d:.Z+-]*)?$/.exec(text);
  if (found) return found.slice(1).map(Number);
  found = /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  if (found) return found.slice(1).map(Number);
  found = /^(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4}|\d{2})$/.exec(text);
  if (found) {
    const [first, second, year] = found.slice(1).map(Number);
    return monthFirst && !text.includes(".")
      ? [century(year), first, second]
      : [century(year), second, first];
  }
  found = /^(\d{1,2})(?:st|nd|rd|th|er|[.º])?[-\s]+(?:de\s+)?(\p{L}+)\.?,?[-\s]+(?:de\s+)?(\d{4})$/u.exec(
    text,
  );
  if (found) return named(found[3], found[2], found[1]);
  found = /^(\p{L}+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/u.exec(text);
  if (found) return named(found[3], found[1], found[2]);
  if (/^\d{5}$/.test(text)) {
    const date = new Date(SPREADSHEET_START_MS + Number(text) * MS_PER_DAY);
    return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  }
  return null;
}

function century(year) {
  if (year > 99) return year;
  return year + (2000 + year > LAST_YEAR ? 1900 : 2000);
}

function named(year, name, day) {
  const word = name.toLowerCase().normalize("NFC");
  const month = MONTHS.findIndex((starts) => starts.some((start) => word.startsWith(start)));
  return month < 0 ? null : [Number(year), month + 1, Number(day)];
}
