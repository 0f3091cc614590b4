import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TurnCommand, TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { moves, type MoveName } from '../../explore/turn/turn-moves.ts'
import { TurnWorld } from '../../explore/turn/turn-world.ts'

const happening = fc.record({
  name: fc.constantFrom(...(Object.keys(moves) as MoveName[]).filter((name) => !name.startsWith('end '))),
  wait: fc.oneof(fc.nat(300), fc.nat(6_000), fc.constantFrom(0, 200, 500, 2_000, 3_000)),
  /** How long the VAD took to notice. */
  ago: fc.oneof(fc.constant(0), fc.nat(900)),
  /** Whether due timers fire before the event. */
  punctual: fc.boolean(),
})
const anyOptions: fc.Arbitrary<TurnOptions> = fc
  .record(
    {
      mode: fc.constantFrom('vad', 'stt', 'manual', 'realtime'),
      endpointing: fc.constantFrom(
        { delay: 0, maxDelay: 0 },
        { mode: 'dynamic' },
        { mode: 'dynamic', detector: true },
      ),
      bargeIn: fc.record({ minDuration: fc.constantFrom(0, 300, 5_000), minWords: fc.nat(3) }),
      falseInterruption: fc.record({ timeout: fc.nat(4_000), pauseAfter: fc.nat(600) }),
      preemptive: fc.record({ stableFor: fc.nat(400), attempts: fc.integer({ min: 1, max: 3 }) }),
      idle: fc.nat(5_000),
      dtmf: fc.record({ as: fc.constantFrom('text', 'event'), count: fc.integer({ min: 1, max: 3 }) }),
    },
    { requiredKeys: [] },
  )
  .map((options) => options as TurnOptions)

/** Runs a life in which every said or typed word is unique. */
function live(
  options: TurnOptions,
  life: readonly (typeof happening extends fc.Arbitrary<infer T> ? T : never)[],
): { world: TurnWorld; commands: TurnCommand[]; said: string[] } {
  const world = new TurnWorld(options)
  const commands: TurnCommand[] = world.handle({ type: 'live', at: 0 })
  const said: string[] = []
  for (const { name, wait, ago, punctual } of life) {
    if (punctual) commands.push(...world.pass(world.now + wait))
    else world.now += wait
    const event = moves[name](world)
    if (!event) continue
    commands.push(...world.handle(spoken(event, ago, said)))
    world.check()
  }
  return { world, commands, said }
}

function spoken(event: TurnEvent, ago: number, said: string[]): TurnEvent {
  if (event.type === 'user-started' || event.type === 'user-stopped')
    return { ...event, since: event.at - ago }
  if ((event.type !== 'final' && event.type !== 'typed') || event.text === '') return event
  const text = `${event.type === 'typed' ? 't' : 'w'}-${said.length}`
  said.push(text)
  return { ...event, text }
}

const wordsOf = (commands: readonly TurnCommand[]): string[] =>
  commands.flatMap((command) => (command.type === 'commit' ? command.text.split(' ') : []))

describe('with random events at random times', () => {
  it('no rule is broken, even if timers are late', () => {
    fc.assert(
      fc.property(anyOptions, fc.array(happening, { maxLength: 40 }), (options, life) => {
        live(options, life)
      }),
      { numRuns: 500 },
    )
  })

  it('every final and typed word is committed or pending, exactly once and in order', () => {
    const lossless = happening.filter(({ name }) => !/interim|discard|press|end/.test(name))
    const modes = fc.constantFrom<TurnOptions['mode'][]>('vad', 'stt', 'manual')
    fc.assert(
      fc.property(anyOptions, modes, fc.array(lossless, { maxLength: 40 }), (options, mode, life) => {
        const { world, commands, said } = live({ ...options, mode: mode ?? 'vad' }, life)
        const { text } = world.machine.pendingWords
        const words = [...wordsOf(commands), ...text.split(' ').filter((each) => each !== '')]
        expect(words.toSorted()).toEqual(said.toSorted())
        if (!life.some(({ name }) => name === 'type')) expect(words).toEqual(said)
      }),
      { numRuns: 500 },
    )
  })

  it('turns that end by silence match a simple reference model', () => {
    const stretch = fc.record({ gap: fc.nat(1_500), length: fc.nat(2_000), text: fc.nat(2_500) })
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), (stretches) => {
        const world = new TurnWorld({})
        const found: string[] = []
        const note = (commands: readonly TurnCommand[]): void => {
          for (const each of commands) if (each.type === 'commit') found.push(`${each.stopped} ${each.text}`)
        }
        const expected: string[] = []
        let words: string[] = []
        let at = 0
        let stopped = 0
        for (const [index, { gap, length, text }] of stretches.entries()) {
          const start = at + gap
          // A turn ends half a second after the end of speech, unless its text is still missing.
          if (words.length > 0 && start >= stopped + 500) {
            expected.push(`${stopped} ${words.join(' ')}`)
            words = []
          }
          stopped = start + length
          at = stopped + text
          words.push(`w-${index}`)
          note(world.pass(start))
          note(world.handle({ type: 'user-started', at: start, since: start }))
          note(world.pass(stopped))
          note(world.handle({ type: 'user-stopped', at: stopped, since: stopped }))
          note(world.pass(at))
          note(world.handle({ type: 'final', at, text: `w-${index}` }))
        }
        if (words.length > 0) expected.push(`${stopped} ${words.join(' ')}`)
        note(world.pass(Number.MAX_SAFE_INTEGER))
        expect(found).toEqual(expected)
      }),
    )
  })
})
