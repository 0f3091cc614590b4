import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { relayRead } from '../../../src/host/fleet/relay.ts'

const request = {
  method: 'POST',
  url: '/phone/status?a=1',
  headers: { host: 'phone.example.com' },
  body: 'b=2',
}

/** The address of another process that answers like this. */
async function other(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Writes for as long as it is read. */
function pour(response: ServerResponse): void {
  if (!response.destroyed) response.write('x'.repeat(1024), () => pour(response))
}

describe('a webhook that is passed on to another process', () => {
  it('[LN14] arrives as it was sent, and is answered as the other process answers', async () => {
    const address = await other((incoming, response) => {
      let body = ''
      incoming.on('data', (piece: Buffer) => (body += piece.toString()))
      incoming.on('end', () => {
        const { method, url, headers } = incoming
        response.writeHead(403).end([method, url, headers.host, headers['x-endwell-relayed'], body].join(' '))
      })
    })
    const body = 'POST /phone/status?a=1 phone.example.com 1 b=2'
    expect(await relayRead(request, address)).toEqual({ status: 403, body })
  })

  it.each<[what: string, answer: RequestListener]>([
    ['hangs up', (incoming) => void incoming.socket.destroy()],
    [
      'stops in the middle of its answer',
      (incoming, response) => void response.writeHead(200).write('half', () => incoming.socket.destroy()),
    ],
    ['answers without end', (_, response) => pour(response.writeHead(200))],
  ])('[LN14] fails if that process %s', async (_, answer) => {
    await expect(relayRead(request, await other(answer))).rejects.toThrow()
  })
})
