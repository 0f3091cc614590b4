import { afterEach, describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { substitutes } from '../compiled-thread.ts'
import { WebRtcStage } from './webrtc-fixture.ts'

/** A thread whose connections are there at once, without a network. `handle` is run for every further message. */
const thread = (handle: string): string => `
  const { parentPort: port } = require('node:worker_threads')
  port.on('message', ({ type, peer, ...message }) => {
    const emit = (emitted) => port.postMessage({ peer, ...emitted })
    if (type === 'exit') process.exit()
    if (type === 'open') {
      emit({ type: 'answer', sdp: 'v=0' })
      emit({ type: 'connected' })
      emit({ type: 'text', text: JSON.stringify({ label: 'rtvi-ai', type: 'client-ready', id: '1', data: { version: '2.1.0' } }) })
      return
    }
    ${handle}
  })
`

const hangs = thread("if (type === 'close') for (;;);")
const tellsDelay = thread("if (type === 'sound') emit({ type: 'delay', ms: 500 })")
const dies = thread("if (type === 'candidates') throw new Error('out of memory')")

describe('the thread of several calls', () => {
  let stage: WebRtcStage
  afterEach(async () => {
    substitutes.clear()
    await stage.close()
  })

  const twoCalls = async (program: string): Promise<void> => {
    substitutes.set('webrtc-thread', program)
    stage = await WebRtcStage.open({ lostTimeout: 60_000 })
    const offer = { type: 'offer', sdp: 'v=0', pc_id: null }
    const client = stage.client()
    for (const count of [1, 2]) {
      expect((await client.sends('POST', offer)).status).toBe(200)
      await stage.until(() => stage.answered.length === count)
    }
    expect(stage.calls.inspect()).toMatchObject({ calls: 2, threads: 1 })
  }

  it('[WR6] is ended if it does not end a connection in time, and the other calls are lost with the reason', async () => {
    await twoCalls(hangs)
    const [one, two] = stage.answered
    const report = await one!.context.scope.close()
    expect(report.took).toBeLessThan(3_000)
    expect(one!.context.connections).toMatchObject([{ how: 'aborted' }])
    await stage.until(() => two!.emitted.includes('lost WORKER_DIED'))
    await stage.untilThreads(0)
  })

  it('[WR4] passes on the network delay that a client reports, and sound counts as heard that much later', async () => {
    await twoCalls(tellsDelay)
    const { connection, emitted } = stage.answered[0]!
    const began = systemClock.now()
    connection.play(sine(440, { sampleRate: 24_000, duration: 300 }))
    connection.mark(1)
    await stage.until(() => emitted.includes('marked 1 300 assumed'))
    expect(systemClock.now() - began).toBeGreaterThan(790)
  })

  it('[WR6] loses its calls if it dies, each with the reason, and the places are free again', async () => {
    await twoCalls(dies)
    const candidates = [{ candidate: '', sdp_mid: '0', sdp_mline_index: 0 }]
    await stage.client().sends('PATCH', { pc_id: stage.answered[0]!.info.id, candidates })
    for (const { emitted } of stage.answered) await stage.until(() => emitted.includes('lost WORKER_DIED'))
    await stage.untilThreads(0)
    expect([stage.calls.size, stage.calls.arriving]).toEqual([0, 0])
  })
})
