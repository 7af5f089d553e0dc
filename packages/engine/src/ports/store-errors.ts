/** Postgres stayed out of reach: nothing is known to be stored, the same call may be repeated later (S-17). Never an attempt's fault. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** Postgres refuses a value itself (SQLSTATE class 22): repeating cannot help, so the step that made it fails (L-52). */
export class ValueRefused extends Error {
  override readonly name = "ValueRefused";
}
