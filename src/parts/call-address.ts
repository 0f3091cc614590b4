const ADDRESS = /^(\+[0-9]{2,20}|sips?:[\w.!~*'()%&=+$,;?/:@-]{1,200})$/

/**
 * Whether a text says whom to call: a phone number like `+4930123456`, or an address like `sip:desk@example.com`. A model may
 * have written it, and it ends up in requests and documents for a carrier, so it has an alphabet.
 */
export function isCallAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text)
}
