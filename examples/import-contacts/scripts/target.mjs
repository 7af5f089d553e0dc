// Stands for the system that contacts go to.

/**
 * A real target gets a request here, with `key` as its Idempotency-Key: a crash may repeat an iteration, and then the
 * target sees the same key again and answers as it did the first time.
 */
export function send(contact, key) {
  process.stderr.write(`sent ${contact.email} with key ${key}\n`);
}
