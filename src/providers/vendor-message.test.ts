import { pcm } from '../audio/index.ts'
import { describe, expect, it } from 'vitest'
import type { LinkConnection } from '../link/index.ts'
import { AudioDecoder, checkByType, checkOf, readMessage, receiveMessage } from './vendor-message.ts'

interface Content {
  readonly text?: string
  readonly final?: boolean
  readonly count?: number
  readonly sound?: string
  readonly parts?: readonly { readonly text?: string }[]
  readonly id?: string
  readonly tokens?: number
  readonly start?: number
  readonly args?: Record<string, unknown>
}

const check = checkOf<Content>({
  text: 'string',
  final: 'boolean',
  count: 'number',
  sound: 'audio',
  parts: [{ text: 'string' }],
  id: 'id',
  tokens: 'count',
  start: 'seconds',
  args: 'json',
})

describe('a message of a vendor', () => {
  it.each<[what: string, json: string, message: object]>([
    ['all fields', '{"text":"a","final":true,"count":1,"sound":"AAAA","parts":[{"text":"b"}]}', { count: 1 }],
    ['unknown fields', '{"other":{"length":1e9}}', { other: { length: 1e9 } }],
    ['no fields', '{}', {}],
  ])('with %s is read', (_, json, message) => {
    expect(readMessage(json, check)).toMatchObject(message)
    expect(readMessage(Buffer.from(json), check)).toMatchObject(message)
  })

  it('has null as a missing field', () => {
    expect(readMessage('{"text":null,"parts":[{"text":null}]}', check)).toEqual({ parts: [{}] })
  })

  it.each([
    'not JSON',
    '"text"',
    'null',
    '{"text":{"toString":1}}',
    '{"text":1}',
    '{"final":"true"}',
    '{"count":"1"}',
    '{"sound":{"length":1000000000}}',
    '{"parts":{"length":1}}',
    '{"parts":[null]}',
    '{"parts":[{"text":[]}]}',
    '{"count":1e999}',
    '{"tokens":-1}',
    '{"tokens":1e300}',
    '{"start":-1}',
    '{"start":1e9}',
    `{"id":"${'x'.repeat(1_001)}"}`,
    `{"text":"${'x'.repeat(300_000)}"}`,
    `{"parts":[${'{},'.repeat(10_000)}{}]}`,
    `{"args":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    `{"args":{"a":"${'x'.repeat(300_000)}"}}`,
    `{"args":[]}`,
  ])('[PR1] that is malformed is refused: %s', (json) => {
    expect(readMessage(json, check)).toBeUndefined()
  })

  it('[PR1] may have 4 MiB of audio, and not more', () => {
    const sound = 'A'.repeat(4 * 1024 * 1024)
    expect(readMessage(JSON.stringify({ sound }), check)).toEqual({ sound })
    expect(readMessage(JSON.stringify({ sound: `${sound}A` }), check)).toBeUndefined()
  })

  it('[PR2] is read quickly, whatever it contains', () => {
    const flat = `{"other":[${'null,'.repeat(1_500_000)}null]}`
    const deep = '['.repeat(4_000_000)
    const started = process.cpuUsage()
    expect(readMessage(flat, check)).toBeDefined()
    expect(readMessage(deep, check)).toBeUndefined()
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_000)
  })

  it('[PR1] is checked by its type, and passes if that is unknown', () => {
    type Message = { readonly type: 'words'; readonly text?: string } | { readonly type: 'end' }
    const byType = checkByType<Message>({ words: { text: 'string' }, end: {} })
    expect(readMessage('{"type":"words","text":1}', byType)).toBeUndefined()
    expect(readMessage('{"type":"end","text":1}', byType)).toBeDefined()
    expect(readMessage('{"type":"new","text":1}', byType)).toBeDefined()
    expect(readMessage('{"type":{"toString":1}}', byType)).toBeDefined()
    expect(readMessage('{"type":"toString"}', byType)).toBeDefined()
  })

  it('[PR1] that is malformed drops the connection', () => {
    const ends: unknown[] = []
    const connection = { end: (...end: unknown[]) => void ends.push(end) } as unknown as LinkConnection
    expect(receiveMessage('{}', check, connection)).toEqual({})
    expect(ends).toEqual([])
    expect(receiveMessage('{"text":1}', check, connection)).toBeUndefined()
    expect(ends).toEqual([['dropped', 'the server sent a malformed message']])
  })
})

describe('an audio field', () => {
  it('is decoded as little-endian PCM16, and is empty if it is missing', () => {
    const decoder = new AudioDecoder(pcm(24_000))
    expect(decoder.push('AQD//w==').samples).toEqual(Int16Array.of(1, -1))
    expect(decoder.push().samples).toEqual(new Int16Array(0))
  })

  it('[PR2] may end in the middle of a sample, which the next field completes', () => {
    const decoder = new AudioDecoder(pcm(24_000))
    expect(decoder.push('AQD/').samples).toEqual(Int16Array.of(1))
    expect(decoder.push('/wIA').samples).toEqual(Int16Array.of(-1, 2))
    expect(decoder.push('not base64!').samples).toBeInstanceOf(Int16Array)
  })
})
