// Receives the webhooks of ./agent.ts: checks who sent them, and takes each call once.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const { PORT = '4100', CRM_SECRET = 'whsec_dGhpcyBzZWNyZXQgaXMga25vd24gdG8gZXZlcnlib2R5' } = process.env

// #region receiver
/** The calls by `webhook-id`. In production: a table in which the id is unique. */
const calls = new Map<string, unknown>()

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  // The text exactly as it came: parsed and printed again, it would have another signature.
  const body = await read(request)
  if (!isSigned(`${id}.${timestamp}.${body}`, header('webhook-signature')) || !isRecent(Number(timestamp))) {
    response.writeHead(401).end()
    return
  }
  // At least once means sometimes twice. The same id is the same call.
  if (!calls.has(id)) {
    const { data } = JSON.parse(body) as { readonly data: { readonly id: string; readonly reason: string } }
    calls.set(id, data)
    console.log(`call ${data.id} ended: ${data.reason}`)
  }
  response.writeHead(204).end()
}

function isSigned(content: string, signatures: string): boolean {
  const key = Buffer.from(CRM_SECRET.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(content).digest()
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Whether a time in seconds is within five minutes of now: older requests may be a recording of somebody else's. */
function isRecent(timestamp: number): boolean {
  return Math.abs(Date.now() / 1_000 - timestamp) < 300
}
// #endregion

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.writeHead(400).end())
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}/calls`)
})
