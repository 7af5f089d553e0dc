const MASK = "***";

/** The text with the password of every URL in it replaced (S-28). */
function maskUrl(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@"]*:)[^\s"/]*@/gi, `$1${MASK}@`);
}

/** Returns a function that hides URL passwords, bearer tokens and the given secrets anywhere in a line of JSON. */
export function masker(secrets: string[]): (line: string) => string {
  const hidden = secrets.flatMap(spellings).filter((secret) => secret.length >= 4);
  return (line) => {
    let out = line;
    for (const secret of hidden) out = out.replaceAll(secret, MASK);
    return maskUrl(out).replaceAll(/\b(bearer|basic) +[^\s"\\,]+/gi, `$1 ${MASK}`);
  };
}

/** A secret as it may stand in a log line: itself, JSON-escaped, and the password of a URL raw and decoded. */
function spellings(secret: string): string[] {
  const texts = [secret];
  if (URL.canParse(secret) && new URL(secret).password !== "") {
    const { password } = new URL(secret);
    texts.push(password, decoded(password));
  }
  return texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
