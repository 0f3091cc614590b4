import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Stage } from './stage.ts'

/** Sends bytes to a server. Resolves to the status of the answer, or to 0 if there is none. */
function statusOf(port: number, bytes: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('data', (data) => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1] ?? 0))
    })
    socket.on('close', () => resolve(0))
    socket.write(bytes)
  })
}

const local = 'Host: localhost\r\n'
const request = (first: string, headers = local, body = ''): string =>
  `${first} HTTP/1.1\r\n${headers}\r\n${body}`
const chunked = `${local}Transfer-Encoding: chunked\r\n`
const board = { list: () => [{ name: 'x', about: 'x' }], set: () => {} }

describe('a request', () => {
  it('[HO8] that acts on a session needs no body and no length', async () => {
    await using stage = await Stage.open()
    for (const verb of ['interrupt', 'drain', 'close'])
      for (const [headers, body] of [
        [local, ''],
        [`${local}Content-Length: 0\r\n`, ''],
        [chunked, '0\r\n\r\n'],
        [`${local}Content-Length: 2\r\n`, '{]'],
      ]) {
        const { session } = stage.call()
        await session.start()
        const path = `POST /api/sessions/${session.id}/${verb}`
        expect(await statusOf(stage.server.port, request(path, headers, body)), path).toBe(202)
        await session.close()
      }
  })

  it('[HO8] may send its body in chunks', async () => {
    await using stage = await Stage.open({ faults: board })
    const body = '{"names":["x"]}'
    const put = request('PUT /api/faults', chunked, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect(await statusOf(stage.server.port, put)).toBe(200)
    const long = 'x'.repeat(20_000)
    const large = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`
    expect(await statusOf(stage.server.port, request('PUT /api/faults', chunked, large))).toBe(413)
  })

  it.each([
    'Host: a b',
    'Host: localhost:99999',
    'Host: [::1',
    'Host: localhost/../x',
    'Host: a@localhost',
    'Host: ',
    'Accept: */*',
  ])('[HO8] with a malformed or missing host is refused: %j', async (headers) => {
    await using stage = await Stage.open()
    const { port } = stage.server
    expect(await statusOf(port, request('GET /api/info', `${headers}\r\n`))).toBe(400)
    const upgrade = `${headers}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
    expect(await statusOf(port, request('GET /call', upgrade))).toBeLessThan(500)
    expect(await statusOf(port, `GET /api/info HTTP/1.0\r\n\r\n`)).toBe(400)
  })

  it('[HO8] to any address, with any method, header or body is never answered with 500', async () => {
    await using stage = await Stage.open({ faults: board, secret: 'a secret of sixteen' })
    const paths = ['/api/login', '/api/logout', '/api/faults', '/api/info', '/api/sessions/x/close', '/']
    const odd = ['/api/sessions/%ff', '/api/sessions?q=%ff&state=%00', '//x', 'ftp://x/', '*', '/\\x', '/%']
    const bearer = `${local}Authorization: Bearer a secret of sixteen\r\n`
    const headers = [
      bearer,
      `${bearer}Cookie: ;;=;\r\nOrigin: ::\r\n`,
      `${bearer}Content-Length: 4\r\n`,
      `${bearer}Transfer-Encoding: chunked\r\n`,
      `${local}Authorization: Bearer\r\n`,
    ]
    for (const path of [...paths, ...odd])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])
        for (const header of headers) {
          const body = header.includes('Length') ? 'null' : header.includes('chunked') ? '0\r\n\r\n' : ''
          const text = request(`${method} ${path}`, header, body)
          expect(await statusOf(stage.server.port, text), text).toBeLessThan(500)
        }
  })
})
