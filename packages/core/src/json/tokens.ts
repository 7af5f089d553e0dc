/** A token's kind is the code of its first character; numbers share the code of `0`. */
export const END = 0;
export const BROKEN = 1;
export const STRING = 34;
export const COMMA = 44;
export const NUMBER = 48;
export const COLON = 58;
export const OPEN_ARRAY = 91;
export const CLOSE_ARRAY = 93;
export const FALSE = 102;
export const NULL = 110;
export const TRUE = 116;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;

const BACKSLASH = 92;
const MINUS = 45;

/**
 * The one lexer of JSON text: RFC 8259 tokens, nothing lenient. After `BROKEN`, `problem` says why and `end` where.
 * Raw surrogates must be paired, because text with a lone one cannot be stored as UTF-8.
 */
export class Tokens {
  readonly text: string;
  /** UTF-16 offsets of the current token; the next one is looked for from `end` on. */
  start = 0;
  end = 0;
  /** The current string token holds a backslash. */
  escaped = false;
  /** The current number token has neither fraction nor exponent; it has an exponent. */
  integer = false;
  exponent = false;
  /** UTF-8 bytes beyond one for each UTF-16 unit, over all tokens so far. */
  extraBytes = 0;
  problem = "";

  constructor(text: string) {
    this.text = text;
  }

  /** The text of the current token. */
  raw(): string {
    return this.text.slice(this.start, this.end);
  }

  /** Moves to the next token and returns its kind. */
  next(): number {
    const { text } = this;
    let at = this.end;
    let unit = text.charCodeAt(at);
    while (unit === 32 || unit === 10 || unit === 13 || unit === 9) unit = text.charCodeAt(++at);
    this.start = at;
    this.end = at + 1;
    switch (unit) {
      case COMMA:
      case COLON:
      case OPEN_ARRAY:
      case CLOSE_ARRAY:
      case OPEN_OBJECT:
      case CLOSE_OBJECT:
        return unit;
      case STRING:
        return this.#string();
      case TRUE:
        return this.#word("true", TRUE);
      case FALSE:
        return this.#word("false", FALSE);
      case NULL:
        return this.#word("null", NULL);
      default:
        if (at >= text.length) {
          this.end = at;
          return END;
        }
        if (unit === MINUS || isDigit(unit)) return this.#number();
        return this.#broken(at, "unexpected character");
    }
  }

  #broken(at: number, problem: string): number {
    this.end = at;
    this.problem = problem;
    return BROKEN;
  }

  #word(word: string, kind: number): number {
    if (!this.text.startsWith(word, this.start)) return this.#broken(this.start, "unexpected word");
    this.end = this.start + word.length;
    return kind;
  }

  #string(): number {
    const { text } = this;
    const { length } = text;
    this.escaped = false;
    let at = this.start + 1;
    while (at < length) {
      const unit = text.charCodeAt(at);
      if (unit === STRING) {
        this.end = at + 1;
        return STRING;
      }
      if (unit === BACKSLASH) {
        this.escaped = true;
        const after = afterEscape(text, at);
        if (after < 0) return this.#broken(at, "broken escape in a string");
        at = after;
      } else if (unit < 32) {
        return this.#broken(at, "raw control character in a string");
      } else if (unit < 0x80) {
        at += 1;
      } else {
        const units = this.#wide(unit, at);
        if (units === 0) return this.#broken(at, "unpaired surrogate in a string");
        at += units;
      }
    }
    return this.#broken(length, "string without an end");
  }

  /** Counts the bytes of the character at `at`, which is not ASCII, and returns its UTF-16 units; 0 for half a pair. */
  #wide(unit: number, at: number): number {
    if (unit < 0x800) {
      this.extraBytes += 1;
      return 1;
    }
    this.extraBytes += 2;
    if (unit < 0xd800 || unit > 0xdfff) return 1;
    const low = this.text.charCodeAt(at + 1);
    return unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff ? 2 : 0;
  }

  #number(): number {
    const { text } = this;
    let at = this.start;
    if (text.charCodeAt(at) === MINUS) at += 1;
    const lead = text.charCodeAt(at);
    const whole = afterDigits(text, at);
    if (whole === at) return this.#broken(at, "a digit is missing in a number");
    if (lead === NUMBER && whole > at + 1) return this.#broken(at, "a number with a leading zero");
    this.integer = true;
    this.exponent = false;
    at = whole;
    if (text.charCodeAt(at) === 46) {
      const end = afterDigits(text, at + 1);
      if (end === at + 1) return this.#broken(end, "a digit is missing in a number");
      this.integer = false;
      at = end;
    }
    if ((text.charCodeAt(at) | 32) === 101) {
      const sign = text.charCodeAt(at + 1);
      const digits = sign === MINUS || sign === 43 ? at + 2 : at + 1;
      const end = afterDigits(text, digits);
      if (end === digits) return this.#broken(end, "a digit is missing in a number");
      this.integer = false;
      this.exponent = true;
      at = end;
    }
    this.end = at;
    return NUMBER;
  }
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function afterDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** The offset after the escape that begins at `at`, or -1 when it is none. */
function afterEscape(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case 34: // "
    case 47: // /
    case 92: // \
    case 98: // b
    case 102: // f
    case 110: // n
    case 114: // r
    case 116: // t
      return at + 2;
    case 117: // u
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        const unit = text.charCodeAt(digit);
        const letter = unit | 32;
        if (!isDigit(unit) && !(letter >= 97 && letter <= 102)) return -1;
      }
      return at + 6;
    default:
      return -1;
  }
}
