import { expect, it } from 'vitest'
import type { RecordingSink } from '../../../src/session/recording/recorder.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never } from '../fixture.ts'

/** A sink in memory. `closing` runs when it is closed. */
function aSink(options: { closing?: () => Promise<void> } = {}) {
  let bytes = new Uint8Array()
  const ends: string[] = []
  const sink: RecordingSink = {
    write: (more) => {
      bytes = Uint8Array.from([...bytes, ...more])
    },
    patch: (position, more) => bytes.set(more, position),
    close: async () => {
      await options.closing?.()
      ends.push('closed')
    },
    abort: () => void ends.push('aborted'),
  }
  /** Milliseconds of sound on each side, at 16 kHz. */
  const heard = (): { caller: number; agent: number } => {
    const samples = new Int16Array(bytes.slice(44).buffer)
    let [caller, agent] = [0, 0]
    for (let at = 0; at < samples.length; at += 2) {
      if (samples[at] !== 0) caller++
      if (samples[at + 1] !== 0) agent++
    }
    return { caller: Math.round(caller / 16), agent: Math.round(agent / 16) }
  }
  return { sink, ends, heard }
}

it('[CL7] a recording has both sides, as far as they were heard', () =>
  inVirtualTime(async (world) => {
    const { sink, ends, heard } = aSink()
    const call = aCall(world, { recording: sink })
    await call.session.start()
    await call.caller.says(500)
    await call.caller.pauses(1_000)
    call.session.say('This takes about two seconds to say.')
    await world.clock.elapse(1_000)
    const report = await call.session.close()
    expect(report).toMatchObject({ clean: true })
    expect(ends).toEqual(['closed'])
    // Not exactly 500 and 1,000, because a tone crosses zero now and then.
    expect(heard().caller).toBeGreaterThan(480)
    expect(heard().caller).toBeLessThanOrEqual(500)
    expect(heard().agent).toBeGreaterThan(980)
    expect(heard().agent).toBeLessThanOrEqual(1_000)
    expectEnded(call)
  }))

it('[CL7] a recording includes sound that was still heard after an interruption', () =>
  inVirtualTime(async (world) => {
    const { sink, heard } = aSink()
    const call = aCall(world, { recording: sink, line: { avatar: { lag: 800 } } })
    await call.session.start()
    const speech = call.session.say('This takes about two seconds to say.')
    await world.clock.elapse(500)
    speech.interrupt()
    await speech.waitForPlayout()
    await world.clock.elapse(1_000)
    await call.session.close()
    const { agent } = heard()
    expect(agent).toBeGreaterThan(1_270)
    expect(agent).toBeLessThanOrEqual(1_300)
  }))

it('[CL7] a recording does not include sound that was cleared before it was heard', () =>
  inVirtualTime(async (world) => {
    const { sink, heard } = aSink()
    const call = aCall(world, { recording: sink })
    await call.session.start()
    call.session.say('This takes about two seconds to say.')
    await world.clock.elapse(500)
    call.session.interrupt()
    await world.clock.elapse(5_000)
    await call.session.close()
    expect(heard().agent).toBeGreaterThan(480)
    expect(heard().agent).toBeLessThanOrEqual(520)
  }))

it('[CL1] [CL4] a recording sink that hangs delays neither the line nor the report', () =>
  inVirtualTime(async (world) => {
    const { sink, ends } = aSink({ closing: never })
    const call = aCall(world, { recording: sink })
    await call.session.start()
    call.session.say('Hello.')
    await world.clock.elapse(1_000)
    const closed = call.session.close()
    await world.clock.elapse(1)
    expect(call.line.counts.live).toBe(0)
    expect(await closed).toMatchObject({ clean: false })
    expect(ends).toEqual(['aborted'])
    expectEnded(call)
  }))

it.each([
  ['is complete', {}, { place: 'bucket/7.wav', complete: true }],
  [
    'failed',
    { closing: () => Promise.reject(new Error('no space')) },
    { place: 'bucket/7.wav', complete: false },
  ],
  ['was cut off', { closing: never }, { place: 'bucket/7.wav', complete: false }],
])('[HO42] the report says where the recording is, and that it %s', (_, options, expected) =>
  inVirtualTime(async (world) => {
    const { sink } = aSink(options)
    const call = aCall(world, { recording: { ...sink, place: 'bucket/7.wav' } })
    await call.session.start()
    await call.caller.says(500)
    expect((await call.session.close()).recordings).toEqual([expected])
  }),
)

it('[HO42] the report of a call that is not recorded says nothing about a recording', () =>
  inVirtualTime(async (world) => {
    const call = aCall(world, {})
    await call.session.start()
    expect(await call.session.close()).not.toHaveProperty('recordings')
  }))
