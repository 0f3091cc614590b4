import { describe, expect, it } from 'vitest'
import type { LinkConnection } from '../link/index.ts'
import { checkByType, checkOf, decodeAudio, readMessage, receiveMessage } from './vendor-message.ts'

interface Content {
  readonly text?: string
  readonly final?: boolean
  readonly count?: number
  readonly sound?: string
  readonly parts?: readonly { readonly text?: string }[]
}

const check = checkOf<Content>({
  text: 'string',
  final: 'boolean',
  count: 'number',
  sound: 'audio',
  parts: [{ text: 'string' }],
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
  ])('[PR1] that is malformed is refused: %s', (json) => {
    expect(readMessage(json, check)).toBeUndefined()
  })

  it('[PR1] may have 4 MiB of audio, and not more', () => {
    const sound = 'A'.repeat(4 * 1024 * 1024)
    expect(readMessage(JSON.stringify({ sound }), check)).toEqual({ sound })
    expect(readMessage(JSON.stringify({ sound: `${sound}A` }), check)).toBeUndefined()
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
    expect(decodeAudio('AQD//w==')).toEqual(Int16Array.of(1, -1))
    expect(decodeAudio(undefined)).toEqual(new Int16Array(0))
  })
})
