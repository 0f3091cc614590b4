import { expect, it } from 'vitest'
import { silence } from '../../audio/index.ts'
import { noSttEvents } from '../../parts/index.ts'
import { inVirtualTime, partContext, soundOf } from '../../testing/index.ts'
import { DeepgramServer } from '../../testing/servers/index.ts'
import { DeepgramStt } from './index.ts'

it('[PT4] DeepgramStt reports the seconds of audio that it has sent, with each final text and at the end', () =>
  inVirtualTime(async (world) => {
    const server = new DeepgramServer({ clock: world.clock, key: 'key' })
    world.network.serve = server.serve
    const context = partContext(world)
    const stt = new DeepgramStt({ apiKey: 'key', endpointing: false })
    const charged: number[] = []
    const stream = await stt.open(context, {
      ...noSttEvents,
      usage: ({ audioSeconds = 0 }) => void charged.push(audioSeconds),
    })
    const { sampleRate } = stt.hears[0]!
    stream.push(soundOf('Hello', sampleRate, 50))
    stream.flush()
    await world.clock.elapse(100)
    expect(charged).toEqual([0.25])
    server.close(1011, 'NET-0001')
    await world.clock.elapse(100)
    // The service has closed the idle connection, and does not get this.
    stream.push(silence(60_000, sampleRate))
    stream.push(soundOf('Goodbye', sampleRate, 50))
    stream.detach()
    expect(charged).toEqual([0.25, 0.35])
    stream.detach()
    await context.scope.close()
    expect(charged).toHaveLength(2)
  }))
