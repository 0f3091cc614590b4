import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/limits.ts'
import { RtviCalls } from '../../src/lines/rtvi-websocket/index.ts'
import { WebRtcCalls } from '../../src/lines/webrtc/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { localPage } from './rtvi-fixture.ts'

describe.each([
  ['[RV7]', RtviCalls],
  ['[WR3]', WebRtcCalls],
] as const)('a call that is started in a process without room', (rule, Calls) => {
  const start = async (
    hasRoomElsewhere: () => Promise<boolean>,
  ): Promise<[outcome: string, took: number]> => {
    let result: [string, number] | undefined
    await inVirtualTime(async ({ clock }) => {
      const scope = new Scope<string>('calls', { clock })
      const calls = new Calls({ scope, onCall: () => {}, hasRoom: () => false, hasRoomElsewhere })
      const answer = await calls.start({ headers: localPage.headers, data: undefined })
      result = ['refused' in answer ? answer.refused : 'started', clock.now()]
      expect((await scope.close()).clean).toBe(true)
    })
    return result!
  }

  it.each<[string, () => Promise<boolean>, [string, number]]>([
    ['have room', async () => true, ['started', 0]],
    ['have none', async () => false, ['BUSY', 0]],
    ['cannot be asked', () => Promise.reject(new Error('no')), ['BUSY', 0]],
    ['cannot even be asked', () => JSON.parse('no') as Promise<boolean>, ['BUSY', 0]],
    ['do not answer', () => new Promise(() => {}), ['BUSY', limits.roomElsewhere]],
  ])(`${rule} gets an answer in time if other processes %s`, async (_, hasRoomElsewhere, expected) => {
    expect(await start(hasRoomElsewhere)).toEqual(expected)
  })
})
