import { describe, expect, it } from 'vitest'
import { decodeMuLaw, keysIn, sine } from '../../src/audio/index.ts'
import { GREETING, expectNothingLeft, phoneScene } from './phone-scene.ts'
import { MS_PER_CHARACTER } from './phone-sound.ts'
import type { TestPhone } from './phone.ts'

const SPEECH = GREETING.length * MS_PER_CHARACTER
const codesOf = ({ heard }: TestPhone): Uint8Array =>
  Uint8Array.from(heard.flatMap(({ codes }) => [...codes]))

describe('keys on the phone', () => {
  it.each(['twilio', 'telnyx'] as const)('[KY1] are heard as tones behind the voice: %s', (carrier) =>
    phoneScene(
      async (scene) => {
        const { clock, call, report } = scene
        const { phone, session } = await call({ dialect: carrier })
        expect(await session.press('0123456789*#ABCD')).toEqual({
          how: 'played',
          confirmed: true,
          keys: '0123456789*#ABCD',
        })
        const sound = decodeMuLaw(codesOf(phone)).slice(SPEECH * 8)
        expect(keysIn({ samples: sound, sampleRate: 8_000 })).toBe('0123456789*#ABCD')
        phone.hangsUp()
        await clock.elapse(500)
        expect(report()).toMatchObject({ clean: true })
        expect(phone.nonsense).toEqual([])
        expectNothingLeft(scene)
      },
      { carrier },
    ),
  )
})

describe('a background sound on the phone', () => {
  const background = { sound: sine(200, { sampleRate: 8_000, duration: 500 }), volume: 0.2 }

  it('[SND1] [SND2] is heard without a gap, and a speech is heard as soon and as long as without it', async () => {
    const outcomes: unknown[] = []
    for (const sounds of [{}, { background }])
      await phoneScene(
        async (scene) => {
          const { clock, call } = scene
          const { phone, session } = await call()
          await clock.elapse(SPEECH + 3_000)
          const from = clock.now()
          const speech = session.say(GREETING)
          await clock.elapse(1_200)
          session.interrupt()
          const { how, confirmed, heard } = await speech.waitForPlayout()
          outcomes.push({ how, confirmed, heard, took: clock.now() - from })
          await clock.elapse(2_000)
          if ('background' in sounds) {
            const silent = phone.heard.filter(({ codes }) => codes.every((code) => code === 0xff)).length
            expect(silent).toBeLessThan(5)
            expect(codesOf(phone).length / 8).toBeGreaterThan(SPEECH + 3_000 + 1_000 + 1_500)
          }
          await session.close()
          const closedAt = clock.now()
          await clock.elapse(1_000)
          expect(phone.heard.filter(({ at }) => at > closedAt + 100)).toEqual([])
          expect(phone.nonsense).toEqual([])
          expectNothingLeft(scene)
        },
        { session: { sounds } },
      )
    expect(outcomes[0]).toMatchObject({ how: 'interrupted', confirmed: true })
    expect(outcomes[1]).toEqual(outcomes[0])
  })
})
