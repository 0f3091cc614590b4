import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { eventsOf, type StreamEvent } from './event-stream.ts'
import { limits } from './limits.ts'

async function* inChunks(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<StreamEvent[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
  const events: StreamEvent[] = []
  for await (const event of eventsOf(inChunks(...bytes))) events.push(event)
  return events
}

const data = (events: readonly StreamEvent[]): string[] => events.map((event) => event.data)

describe('an event stream', () => {
  it('is parsed as the standard says', async () => {
    expect(
      await read(
        ': a comment\n\ndata: one\ndata:two\ndata\n\nid: 7\nretry: 250\nevent: message\ndata:  three\n\n',
        'retry: soon\ndata: four\n\ndata: without an end\n',
      ),
    ).toEqual([
      { data: '', id: undefined, retry: undefined },
      { data: 'one\ntwo\n', id: undefined, retry: undefined },
      { data: ' three', id: '7', retry: 250 },
      { data: 'four', id: '7', retry: 250 },
    ])
  })

  it('is parsed alike for all chunk sizes and line endings', async () => {
    const text = 'data: höher\n\ndata: {"a":\ndata: 1}\n\n'
    const expected = data(await read(text))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat({ max: 50 }), { maxLength: 8 }),
        async (end, cuts) => {
          const bytes = Buffer.from(text.replaceAll('\n', end))
          const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
          const chunks = at.slice(1).map((to, index) => bytes.subarray(at[index], to))
          expect(data(await read(...chunks))).toEqual(expected)
        },
      ),
    )
  })

  it('has a limit per event, whether it is one line or many', async () => {
    const half = 'x'.repeat(limits.message / 2 + 1)
    await expect(read('data: ', half, half)).rejects.toMatchObject({ code: 'LIMIT' })
    await expect(read(`data: ${half}\n`, `data: ${half}\n`)).rejects.toMatchObject({ code: 'LIMIT' })
    expect(await read(`data: ${half}\n\n`, `data: ${half}\n\n`)).toHaveLength(2)
  })
})
