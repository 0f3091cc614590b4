import { describe, expect, it } from 'vitest'
import { decodeVoice, encodeSound, isRefusal, offer, readOffer, readPageMessage } from './protocol.ts'

describe('encoded sound', () => {
  it('decodes to the same samples, and is not copied', () => {
    const samples = Int16Array.from([7, 0, 1, -1, 32767, -32768, 7]).subarray(1, 6)
    const bytes = encodeSound(samples)
    expect([...bytes.subarray(2, 6)]).toEqual([1, 0, 0xff, 0xff])
    expect(decodeVoice(bytes.slice())).toEqual(samples)
    expect(bytes.buffer).toBe(samples.buffer)
  })
})

describe('the sound of a page', () => {
  const bytes = Uint8Array.of(0, 0x34, 0x12, 0xfe, 0xff)

  it('is read wherever it begins in memory, and without half a sample at its end', () => {
    expect(decodeVoice(bytes.slice(1))).toEqual(Int16Array.of(0x1234, -2))
    expect(decodeVoice(bytes.subarray(1))).toEqual(Int16Array.of(0x1234, -2))
    expect(decodeVoice(bytes.slice(1, 4))).toEqual(Int16Array.of(0x1234))
    expect(decodeVoice(new Uint8Array(0))).toEqual(new Int16Array(0))
  })

  it('is not copied, and keeps little more than itself in memory', () => {
    const message = new Uint8Array(648).subarray(8)
    expect(decodeVoice(message).buffer).toBe(message.buffer)
    expect(decodeVoice(new Uint8Array(8192).subarray(8, 648)).buffer.byteLength).toBe(640)
  })
})

describe('the offer of a page', () => {
  const ticket = { call: 'c-1_', key: 'k-_9', generation: 12 }

  it('is read back as it was written', () => {
    expect(readOffer(offer({}))).toEqual({ known: true })
    expect(readOffer(offer({ token: 'abc.def' }))).toEqual({ known: true, token: 'abc.def' })
    expect(readOffer(offer({ token: 'abc.def', ticket }))).toEqual({ known: true, ticket })
  })

  it('is unknown if it names another version, or none', () => {
    expect(readOffer(['endwell.1', 'token.abc'])).toEqual({ known: false, token: 'abc' })
    expect(readOffer([])).toEqual({ known: false })
    expect(readOffer(['endwell.2', 'rejoin.a.b.c', 'rejoin.a.b.1.2', 'rejoin.a.b.99999999999'])).toEqual({
      known: true,
    })
  })
})

describe('a message of a page', () => {
  it.each([
    { type: 'ready', generation: 1, sound: true },
    { type: 'ready', generation: 2, sound: false, played: 10, buffered: 20 },
    { type: 'played', at: 1 },
    { type: 'marked', id: 1, heard: 0.5 },
    { type: 'sound', on: false },
    { type: 'text', text: '' },
    { type: 'dtmf', digit: '#' },
    { type: 'pong' },
    { type: 'hang-up' },
  ])('is read: %j', (message) => {
    expect(readPageMessage(JSON.stringify(message))).toEqual(message)
  })

  it.each([
    '',
    'null',
    '1',
    '[]',
    '{}',
    '{"type":"hello"}',
    '{"type":"ready","generation":-1,"sound":true}',
    '{"type":"ready","generation":1}',
    '{"type":"played","at":-1}',
    '{"type":"played","at":"1"}',
    '{"type":"marked","id":1}',
    '{"type":"marked","id":1,"heard":null}',
    '{"type":"sound","on":1}',
    '{"type":"text"}',
    '{"type":"dtmf","digit":"12"}',
    '{"type":"dtmf","digit":"E"}',
  ])('is rejected if it is malformed: %s', (json) => {
    expect(readPageMessage(json)).toBeUndefined()
  })
})

it('only the close codes 4400 to 4599 are refusals', () => {
  expect([4400, 4401, 4409, 4503].every(isRefusal)).toBe(true)
  expect([1000, 1001, 1006, 4000, 4200, 4600].some(isRefusal)).toBe(false)
})
