const NAME = /^[A-Za-z0-9][\w.:~=+@-]{0,199}$/

/**
 * Whether a text can name a call (LN8). Names that a peer chooses end up in logs, addresses and file names, so they
 * have an alphabet: they start with a letter or digit, and contain no slash, space or control character.
 */
export function isCallName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text)
}
