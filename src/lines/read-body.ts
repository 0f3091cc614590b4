import type { IncomingMessage } from 'node:http'

/** Reads the body of a request. Rejects if it is longer than `most` bytes. The server bounds the time. */
export async function readBody(message: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += (chunk as Buffer).length
    if (size > most) throw new RangeError(`the body of a request must not exceed ${most} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}
