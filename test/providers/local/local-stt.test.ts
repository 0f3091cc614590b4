import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { concat, silence, type AudioFrame } from '../../../src/audio/index.ts'
import { noSttEvents, type Stt, type SttStream } from '../../../src/parts/index.ts'
import { ScopeClosedError, systemClock, systemRandom } from '../../../src/scope/index.ts'
import { conformance, onFastStage, partContext, sttConformance } from '../../../src/testing/index.ts'
import { clinic } from '../../fixtures/clinic.ts'
import { clip, clips, framesOf } from '../../fixtures/speech.ts'
import { LocalStt, type LocalSttOptions } from '../../../src/providers/local/local-stt.ts'
import type { Recogniser } from '../../../src/providers/local/recogniser.ts'
import { ScriptedDialogue } from '../../../src/providers/local/scripted-dialogue.ts'

const { phrases } = new ScriptedDialogue(clinic)

/** How long to wait for a thread, in milliseconds. Only a hang takes this long. */
const PATIENCE = 60_000

/** Maps the texts of the suite to phrases that there are recordings of. */
const spoken = new Map([
  ['one two', 'what are your opening hours'],
  ['three', 'tuesday'],
  ['goodbye', 'goodbye'],
  ['last words', 'yes please'],
  ['for two', 'at nine'],
])

// The stream alone, in virtual time, with made-up recognitions.
conformance({ describe, it }, 'the local STT without its recogniser', sttConformance, () => {
  const texts: string[] = []
  const recordings: string[] = []
  const dying = new Set<(error: Error) => void>()
  let refused = false
  const open = async (): Promise<Recogniser> => {
    if (refused) throw new Error('no model')
    return {
      recognise: async () => ({ text: texts.shift() ?? '', doubt: 0 }),
      onDeath: (listener) => void dying.add(listener),
    }
  }
  return {
    stt: dubbed(new LocalStt({ phrases: ['hello'] }, open), recordings),
    hear: (text) => {
      texts.push(text)
      recordings.push('goodbye')
    },
    refuses: () => {
      refused = true
    },
    breaks: () => {
      for (const die of dying) die(new Error('it died'))
    },
  }
})

// The whole STT. The suite's tones are replaced by recordings, and the recognised phrases by the suite's texts.
conformance(
  { describe, it },
  'the local STT',
  sttConformance,
  () => {
    const stt = new LocalStt({ phrases, timeout: PATIENCE })
    const recordings: string[] = []
    return {
      stt: dubbed(stt, recordings),
      hear: (text) => void recordings.push(spoken.get(text) ?? 'goodbye'),
    }
  },
  onFastStage(2),
)

function dubbed(stt: LocalStt, recordings: string[]): Stt {
  const words = new Map([...spoken].map(([said, recorded]) => [recorded, said]))
  return {
    name: stt.name,
    hears: stt.hears,
    async open(context, events) {
      const stream = await stt.open(context, {
        ...events,
        final: (text) => events.final(words.get(text) ?? text),
      })
      let at = -1
      let sound: readonly AudioFrame[] = []
      return {
        push: (frame) => {
          const recording = recordings.shift()
          if (recording !== undefined) {
            sound = framesOf(clip(recording).samples)
            at = 0
          }
          if (at < 0 || at >= sound.length) return stream.push(silence(20, 16_000))
          // Two frames at a time, because a recording is longer than the suite's tone.
          for (const end = at + 2; at < end && at < sound.length; at++) stream.push(sound[at] ?? frame)
        },
        flush: () => stream.flush(),
        configure: (change) => stream.configure(change),
        detach: () => stream.detach(),
      } satisfies SttStream
    },
  }
}

/** Transcribes these sounds one after the other. */
async function transcribe(
  sounds: readonly Int16Array[],
  options: Partial<LocalSttOptions> = {},
): Promise<string[]> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const texts: string[] = []
  try {
    let notify: () => void = () => {}
    const stream = await new LocalStt({ phrases, timeout: PATIENCE, ...options }).open(context, {
      ...noSttEvents,
      final: (text) => {
        texts.push(text)
        notify()
      },
      failed: (error) => expect.unreachable(String(error)),
    })
    for (const samples of sounds) {
      const next = new Promise<void>((resolve) => {
        notify = resolve
      })
      const sound = concat(
        [silence(300, 16_000), { samples, sampleRate: 16_000 }, silence(200, 16_000)],
        16_000,
      )
      for (const frame of framesOf(sound.samples)) stream.push(frame)
      stream.flush()
      await next
    }
    return texts
  } finally {
    expect((await context.scope.close()).clean).toBe(true)
  }
}

describe('the local STT', () => {
  it('recognises its phrases in several voices and confuses none', async () => {
    const known = clips.filter(({ kind }) => kind === 'in')
    const heard = await transcribe(known.map(({ samples }) => samples))
    const missed = known.filter(({ text }, index) => heard[index] !== text)
    // One voice slurs this phrase.
    expect(missed.map(({ voice, text }) => `${voice}: ${text}`)).toEqual(['kal16: thank you'])
    expect(heard[known.indexOf(missed[0]!)]).toBe('[not understood]')
  })

  it('does not take other speech for a phrase', async () => {
    const other = clips.filter(({ kind }) => kind === 'out')
    expect(await transcribe(other.map(({ samples }) => samples))).toEqual(other.map(() => '[not understood]'))
  })

  it('returns the `unknown` text for other speech, or ignores it if that is empty', async () => {
    const { samples } = clip('do you sell pizza')
    expect(await transcribe([samples], { unknown: '?' })).toEqual(['?'])
    // With an empty text, only the phrase after it is emitted.
    const both = [
      concat([samples, new Int16Array(16 * 900), clip('yes please').samples].map(asFrame), 16_000).samples,
    ]
    expect(await transcribe(both, { unknown: '' })).toEqual(['yes please'])
  })

  it('is as strict as maxDoubt says', async () => {
    const { samples } = clip('cancel my flight to london')
    expect(await transcribe([samples], { maxDoubt: Infinity })).toEqual(['cancel my appointment'])
    expect(await transcribe([clip('book an appointment').samples], { maxDoubt: 0.001 })).toEqual([
      '[not understood]',
    ])
  })

  it('names the words it does not know and their phrases', async () => {
    const failed = transcribe([], { phrases: ['call the florbish', 'hello'] })
    await expect(failed).rejects.toMatchObject({ code: 'UNKNOWN_WORD' })
    await expect(failed).rejects.toThrow("'florbish' in 'call the florbish'")
  })

  it('learns words from `pronunciations`', async () => {
    const pronunciations = { toozdee: 'T UW Z D EY' }
    expect(
      await transcribe([clip('tuesday').samples], { phrases: ['toozdee', 'hello'], pronunciations }),
    ).toEqual(['toozdee'])
    const wrong = transcribe([], { phrases: ['toozdee'], pronunciations: { toozdee: 'tuesday' } })
    await expect(wrong).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('toozdee'),
    })
  })

  it('refuses invalid phrases in the constructor', () => {
    expect(() => new LocalStt({ phrases: ['book (me'] })).toThrow("invalid phrase 'book (me'")
    expect(() => new LocalStt({ phrases: [] })).toThrow('at least one phrase')
    expect(() => new LocalStt({ phrases, maxDoubt: 0 })).toThrow('maxDoubt')
    expect(() => new LocalStt({ phrases, timeout: 0 })).toThrow('timeout')
  })

  it('fails when its worker dies', async () => {
    const { workers, stop } = watchWorkers()
    const context = partContext({ clock: systemClock, random: systemRandom })
    const failed = vi.fn<(error: unknown) => void>()
    // Phrases of its own, so that it starts a thread of its own.
    const stream = await new LocalStt({ phrases: ['goodbye'] }).open(context, {
      ...noSttEvents,
      failed,
    })
    stop()
    await workers[0]?.terminate()
    await vi.waitUntil(() => failed.mock.calls.length > 0, PATIENCE)
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'WORKER_DIED' }))
    for (const frame of framesOf(clip('goodbye').samples)) stream.push(frame)
    stream.flush()
    const { took, closeTimeout } = await context.scope.close()
    expect(took).toBeLessThan(closeTimeout)
    expect(failed).toHaveBeenCalledTimes(1)
  })

  it('leaves no worker behind when it is aborted while loading', async () => {
    const { workers, stop } = watchWorkers()
    const context = partContext({ clock: systemClock, random: systemRandom })
    const opening = new LocalStt({ phrases: ['hello'] }).open(context, {
      ...noSttEvents,
      failed() {},
    })
    const refused = expect(opening).rejects.toBeInstanceOf(ScopeClosedError)
    await vi.waitUntil(() => workers.length === 1, PATIENCE)
    stop()
    const exited = new Promise((resolve) => workers[0]!.once('exit', resolve))
    context.scope.abort()
    await refused
    await exited
  })
})

const asFrame = (samples: AudioFrame | Int16Array): AudioFrame =>
  samples instanceof Int16Array ? { samples, sampleRate: 16_000 } : samples

/** Collects the workers that are started from now on. */
function watchWorkers(): { readonly workers: Worker[]; readonly stop: () => void } {
  const workers: Worker[] = []
  const listener = (worker: Worker): void => void workers.push(worker)
  process.on('worker', listener)
  return { workers, stop: () => process.off('worker', listener) }
}
