import { createHmac } from 'node:crypto'

/** Signs like Twilio: the address, followed by the sorted fields. */
export function signatureOf(token: string, url: string, form: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries(form).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHmac('sha1', token)
    .update(url + fields.flat().join(''))
    .digest('base64')
}
