import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { StartEndpoint, type StartAnswer } from './start-endpoint.ts'

describe('a request that starts a call', () => {
  it('[RV7] is the client’s mistake if its body is not JSON, and ours if the code that starts the call fails', async () => {
    const start = (): StartAnswer => JSON.parse('not JSON either') as StartAnswer
    const endpoint = new StartEndpoint({ secret: undefined, origins: undefined, path: '/start', start })
    const server = createServer((request, response) => endpoint.answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const post = async (body: string): Promise<unknown> => {
      const headers = { connection: 'close', origin: 'http://localhost:3000' }
      const response = await fetch(`http://127.0.0.1:${port}/start`, { method: 'POST', body, headers })
      const { code } = (await response.json()) as { code: string }
      return `${response.status} ${code}`
    }
    expect([await post('{'), await post('{}')]).toEqual(['400 BAD_REQUEST', '500 FAILED'])
    await new Promise((resolve) => server.close(resolve))
  })
})
