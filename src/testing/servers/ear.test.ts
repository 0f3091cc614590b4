import { describe, expect, it } from 'vitest'
import { concat, silence } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import { Ear, type EarEvents } from './ear.ts'

const RATE = 16_000

function listen(ear: Ear): { log: string[]; events: EarEvents } {
  const log: string[] = []
  const events: EarEvents = {
    started: (at) => log.push(`started ${at}`),
    stopped: (at, { text, duration }) => log.push(`stopped ${at} '${text}' ${duration}`),
  }
  ear.patience = () => 200
  return { log, events }
}

describe("a server's ear", () => {
  it('separates two utterances in one stream, for any frame size', () => {
    for (const size of [7, 160, 100_000]) {
      const ear = new Ear({ sampleRate: RATE })
      const { log, events } = listen(ear)
      const sound = concat(
        [
          silence(500, RATE),
          soundOf('one', RATE, 50),
          silence(250, RATE),
          soundOf('two', RATE, 50),
          silence(250, RATE),
        ],
        RATE,
      )
      for (let at = 0; at < sound.samples.length; at += size) {
        ear.hear(sound.samples.subarray(at, at + size), events)
      }
      expect(log).toEqual(['started 500', "stopped 850 'one' 650", 'started 900', "stopped 1250 'two' 400"])
    }
  })

  it('keeps only `prefix` milliseconds of the silence before speech', () => {
    const ear = new Ear({ sampleRate: RATE })
    ear.hear(silence(5000, RATE).samples)
    expect(ear.held).toBe(300)
    ear.prefix = Infinity
    ear.hear(silence(5000, RATE).samples)
    expect(ear.held).toBe(5300)
  })

  it('returns and clears everything heard, to the last sample', () => {
    const ear = new Ear({ sampleRate: RATE })
    ear.prefix = Infinity
    ear.hear(soundOf('hello', RATE, 1.5).samples)
    expect(ear.take()).toEqual({ text: 'hello', duration: 7.5 })
    ear.hear(soundOf('forget', RATE, 1.5).samples)
    ear.clear()
    expect(ear.held).toBe(0)
    ear.hear(soundOf('this', RATE, 5).samples)
    expect(ear.take()).toEqual({ text: 'this', duration: 20 })
  })

  it('uses a custom transcription', () => {
    const sounds: number[] = []
    const understands = ({ samples }: { samples: Int16Array }): string => {
      sounds.push(samples.length)
      return ' a sound '
    }
    const ear = new Ear({ sampleRate: RATE, understands })
    const { log, events } = listen(ear)
    ear.hearText('hello', events)
    expect(log).toEqual(['started 0', "stopped 450 'a sound' 450"])
    expect(sounds).toEqual([7200])
  })
})
