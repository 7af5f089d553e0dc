/** Fewest and most arguments. */
type Arity = readonly [least: number, most: number];

/** Methods of texts; those that lists have too work on lists as well (E-1). */
export const METHODS = {
  includes: [1, 2],
  startsWith: [1, 2],
  endsWith: [1, 2],
  indexOf: [1, 2],
  lastIndexOf: [1, 2],
  slice: [0, 2],
  trim: [0, 0],
  trimStart: [0, 0],
  trimEnd: [0, 0],
  toLowerCase: [0, 0],
  toUpperCase: [0, 0],
} as const satisfies Record<string, Arity>;
export type Method = keyof typeof METHODS;

/** Methods of lists that take an arrow function: the most parameters it may have, and the arguments after it. */
export const CALLBACKS = {
  some: [3, 0],
  every: [3, 0],
  find: [3, 0],
  filter: [3, 0],
  map: [3, 0],
  reduce: [4, 1],
} as const;
export type Callback = keyof typeof CALLBACKS;

/** Functions that stand on their own or in `JSON`, `Object` and `Array`. */
const FUNCTIONS = {
  Number: [0, 1],
  String: [0, 1],
  Boolean: [0, 1],
  "JSON.parse": [1, 1],
  "JSON.stringify": [1, 1],
  "Object.keys": [1, 1],
  "Object.values": [1, 1],
  "Object.entries": [1, 1],
  "Array.isArray": [1, 1],
} as const satisfies Record<string, Arity>;

const MATH =
  "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 " +
  "log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc";
const MANY = 255;

/** Every function an expression may call, by its full name. No `Math.random`, no clock. */
export const GLOBALS: ReadonlyMap<string, Arity> = new Map<string, Arity>([
  ...Object.entries(FUNCTIONS),
  ...MATH.split(" ").map((name): [string, Arity] => [`Math.${name}`, [0, MANY]]),
]);

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["Math.E", Math.E],
  ["Math.LN2", Math.LN2],
  ["Math.LN10", Math.LN10],
  ["Math.LOG2E", Math.LOG2E],
  ["Math.LOG10E", Math.LOG10E],
  ["Math.PI", Math.PI],
  ["Math.SQRT1_2", Math.SQRT1_2],
  ["Math.SQRT2", Math.SQRT2],
]);

/** Names with a meaning of their own: no value of a scope and no parameter of an arrow function may have one. */
export const RESERVED: ReadonlySet<string> = new Set([
  "undefined",
  "Math",
  "JSON",
  "Object",
  "Array",
  "Number",
  "String",
  "Boolean",
]);

/** Refused as name and as property, however they are spelled. */
export const FORBIDDEN: ReadonlySet<string> = new Set(["constructor", "__proto__", "prototype"]);
