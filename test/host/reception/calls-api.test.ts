import { describe, expect, it } from 'vitest'
import { DialStage, OURS, PERSON } from './dial-stage.ts'
import type { TestProcess } from './process.ts'

const SECRET = 'a secret with enough characters'
const code = (error: string): object => ({ error: expect.objectContaining({ code: error }) as unknown })

function asker({ url }: TestProcess, secret?: string) {
  return async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        connection: 'close',
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return [response.status, await response.json()]
  }
}

const call = { to: PERSON, from: OURS }

describe('the API for calls out', () => {
  it('[DI6] calls somebody, and says how that went, at any process', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(second)
    const [ask, askOther] = [asker(first), asker(second)]
    const path = '/api/calls/order%2017'
    expect(await ask('GET', path)).toEqual([404, code('NO_SUCH_CALL')])
    expect(await ask('POST', '/api/calls', { ...call, key: 'order 17' })).toEqual([202, { key: 'order 17' }])
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    expect(await askOther('POST', '/api/calls', { ...call, key: 'order 17' })).toMatchObject([200, {}])
    expect(await ask('GET', path)).toEqual([200, { key: 'order 17', id: person.calls[0]!.sid }])
    person.calls[0]!.hangUp()
    expect(await stage.outcome('order 17')).toMatchObject({ outcome: 'rejected' })
    for (const each of [ask, askOther])
      expect(await each('GET', path)).toMatchObject([
        200,
        {
          key: 'order 17',
          outcome: 'rejected',
          id: person.calls[0]!.sid,
          took: expect.any(Number) as number,
        },
      ])
    const [status, made] = await ask('POST', '/api/calls', call)
    expect([status, made]).toEqual([202, { key: expect.stringMatching(/.{16,}/) as string }])
  })

  it('[DI2] [DI6] cancels a call, whichever process is asked', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(second)
    await asker(first)('POST', '/api/calls', { ...call, key: 'a' })
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    expect(await asker(second)('POST', '/api/calls/a/cancel')).toMatchObject([202, { key: 'a' }])
    expect(await stage.outcome('a')).toMatchObject({ outcome: 'cancelled' })
    expect(stage.carrier.live).toEqual([])
    expect(await asker(second)('POST', '/api/calls/b/cancel')).toEqual([404, code('NO_SUCH_CALL')])
  })

  it.each([
    [undefined, 'BAD_OPTION'],
    ['{', 'BAD_OPTION'],
    [[], 'BAD_OPTION'],
    [{ from: OURS }, 'BAD_OPTION'],
    [{ ...call, to: 'Bob' }, 'BAD_OPTION'],
    [{ ...call, from: 7 }, 'BAD_OPTION'],
    [{ ...call, key: '' }, 'BAD_OPTION'],
    [{ ...call, ringTimeout: '30000' }, 'BAD_OPTION'],
    [{ ...call, ringTimeout: 1e9 }, 'BAD_OPTION'],
    [{ ...call, parameters: 'order=17' }, 'BAD_OPTION'],
    [{ ...call, parameters: { order: 17 } }, 'BAD_OPTION'],
    [{ ...call, form: OURS }, 'BAD_OPTION'],
  ])('[DI6] refuses a malformed request: %j', async (body, error) => {
    await using stage = await DialStage.open()
    const first = await stage.start()
    expect(await asker(first)('POST', '/api/calls', body)).toEqual([400, code(error)])
    expect(stage.carrier.live).toEqual([])
  })

  it('[DI6] is behind the gate, and has a limit for its requests', async () => {
    await using stage = await DialStage.open()
    const first = await stage.start({ secret: SECRET })
    expect(await asker(first)('POST', '/api/calls', call)).toEqual([401, code('UNAUTHORISED')])
    expect(await asker(first)('GET', '/api/calls/a')).toEqual([401, code('UNAUTHORISED')])
    expect(await asker(first, SECRET)('GET', '/api/calls/a')).toEqual([404, code('NO_SUCH_CALL')])
    const long = { ...call, parameters: { note: 'x'.repeat(20_000) } }
    expect(await asker(first, SECRET)('POST', '/api/calls', long)).toEqual([413, code('TOO_LARGE')])
  })

  it('[DI6] says why nothing can be dialled', async () => {
    await using stage = await DialStage.open()
    const { publicUrl: _, ...phone } = stage.phone
    const first = await stage.start({ phone })
    expect(await asker(first)('POST', '/api/calls', call)).toEqual([409, code('DIAL_IMPOSSIBLE')])
    const second = await stage.start()
    stage.host.fails = true
    expect(await asker(second)('POST', '/api/calls', call)).toEqual([503, code('JOURNAL_UNAVAILABLE')])
    stage.host.fails = false
    second.reception.entrance.drain()
    expect(await asker(second)('POST', '/api/calls', call)).toEqual([503, code('DIAL_CLOSED')])
  })
})
