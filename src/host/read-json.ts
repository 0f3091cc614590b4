import type { HonoRequest } from 'hono'

/** The body of a request as JSON, `undefined` if there is none or it is not JSON. Reads at most `most` bytes. */
export async function readJson(
  { raw }: HonoRequest,
  most: number,
): Promise<{ readonly json: unknown } | 'too large'> {
  if (Number(raw.headers.get('content-length') ?? 0) > most) return 'too large'
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of raw.body ?? []) {
      size += chunk.length
      if (size > most) return 'too large'
      chunks.push(chunk)
    }
    return { json: JSON.parse(Buffer.concat(chunks).toString()) as unknown }
  } catch {
    return { json: undefined }
  }
}
