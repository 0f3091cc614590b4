import { describe, expect, it } from 'vitest'
import type { RecordingChange } from '../../../src/parts/index.ts'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, never, said } from '../fixture.ts'

/** A tool that pauses the recording, and asks for a card number only if that is certain. */
const takeCard = tool({
  description: 'Takes a card number',
  run: async (_input, { recordCall }) => ((await recordCall('pause')) ? 'paused' : 'do not ask'),
})

describe('the recording of a call at its carrier', () => {
  it.each([
    [true, 'paused', []],
    [false, 'do not ask', ['RECORDING_UNCONFIRMED']],
  ])('[RC1] is paused by a tool, which learns whether that is confirmed: %s', (confirms, output, errors) =>
    inVirtualTime(async (world) => {
      const changes: RecordingChange[] = []
      const call = aCall(world, {
        answers: [[callTool('takeCard')], 'Thank you.'],
        agent: { tools: { takeCard } },
        line: {
          record: (change) => {
            changes.push(change)
            return confirms
          },
        },
      })
      await call.session.start()
      call.caller.types('My card is ready.')
      await world.clock.elapse(5_000)
      expect(said(call.session)).toContain(`takeCard → ${output}`)
      const report = await call.session.close()
      expect(changes).toEqual(['pause'])
      expect(report.errors.map(({ error }) => error.code)).toEqual(errors)
    }),
  )

  it('[RC1] is unconfirmed if the line fails, or does not answer in time', () =>
    inVirtualTime(async (world) => {
      const silent = await aLiveCall(world, { line: { record: () => never() } })
      const began = world.clock.now()
      expect(await silent.session.recordCall('start')).toBe(false)
      expect(world.clock.now() - began).toBe(15_000)
      const failing = await aLiveCall(world, {
        line: {
          record: () => {
            throw new TypeError('no')
          },
        },
      })
      expect(await failing.session.recordCall('stop')).toBe(false)
      const report = await failing.session.close()
      expect(report.errors.map(({ error }) => error.code ?? error.name)).toEqual([
        'TypeError',
        'RECORDING_UNCONFIRMED',
      ])
      await silent.session.close()
    }))

  it('[RC1] is refused if the line cannot record, the change is not known, or the session closes', () =>
    inVirtualTime(async (world) => {
      const unable = await aLiveCall(world)
      await expect(unable.session.recordCall('start')).rejects.toMatchObject({
        code: 'RECORDING_UNSUPPORTED',
      })
      await unable.session.close()
      const call = await aLiveCall(world, { line: { record: () => never() } })
      const unknown = 'rewind' as RecordingChange
      await expect(call.session.recordCall(unknown)).rejects.toMatchObject({ code: 'BAD_OPTION' })
      const asked = call.session.recordCall('pause').catch((error: unknown) => error)
      expect((await call.session.close()).clean).toBe(true)
      expect(await asked).toBeInstanceOf(Error)
      await expect(call.session.recordCall('pause')).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
    }))
})
