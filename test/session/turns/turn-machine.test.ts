import { describe, expect, it } from 'vitest'
import { OptionError } from '../../../src/scope/index.ts'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import { TurnMachine } from '../../../src/session/hearing/turn-machine.ts'
import { turnSettings, type TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  commits,
  final,
  format,
  simple,
  userStarts,
  userStops,
} from './turn-driver.ts'

const machineWith = (options: TurnOptions = {}): TurnMachine => new TurnMachine(turnSettings(options))

describe('the turn machine', () => {
  it('ignores a timer that was cleared or replaced before it fired', () => {
    const machine = machineWith()
    machine.handle(userStarts(0))
    machine.handle(final(900, 'Hello.'))
    machine.handle(userStops(1_000))
    machine.handle(userStarts(1_100))
    const stale: TurnEvent = { type: 'timer', timer: 'endpoint', due: 1_500, at: 1_500 }
    expect(machine.handle(stale)).toEqual([])
    machine.handle(final(1_600, 'More.'))
    machine.handle(userStops(1_700))
    const before = structuredClone(machine.state)
    expect(machine.handle({ ...stale, at: 2_600 })).toEqual([])
    expect(machine.state).toEqual(before)
  })

  it('accepts a timer that fires slightly early', () => {
    const machine = machineWith()
    for (const event of [userStarts(0), final(900, 'Hello.'), userStops(1_000)]) machine.handle(event)
    const commands = machine.handle({ type: 'timer', timer: 'endpoint', due: 1_500, at: 1_499 })
    expect(commands.map(format)).toContain('commit Hello.')
  })

  it('takes the delay of a late timer into account', () => {
    const machine = machineWith({ falseInterruption: { timeout: 2_000, pauseAfter: 300 } })
    for (const event of [agentSpeaks(0), userStarts(1_000)]) machine.handle(event)
    const commands = machine.handle({ type: 'timer', timer: 'barge-in', due: 1_300, at: 1_400 })
    expect(commands.map(format)).toEqual(['set barge-in 1500', 'set false-interruption 3400', 'pause'])
  })

  it('acts on a due timer when another event arrives before it fires', () => {
    const machine = machineWith()
    for (const event of [userStarts(0), final(900, 'Hello.'), userStops(1_000)]) machine.handle(event)
    expect(machine.handle(simple('live', 1_600)).map(format)).toEqual([
      'clear endpoint',
      'commit Hello.',
      'silent',
    ])
  })

  it('returns timer commands first, so that an event caused by a later command cannot undo them', () => {
    const machine = machineWith({ idle: 5_000 })
    for (const event of [agentSpeaks(0), userStarts(0), final(300, 'Stop.'), userStops(400)])
      machine.handle(event)
    expect(machine.handle(simple('live', 900)).map(format)).toEqual([
      'clear endpoint',
      'interrupt',
      'commit Stop.',
      'silent',
    ])
  })

  it('ignores a second start or stop of the same voice', () => {
    expect(agentCommands({}, agentSpeaks(0), userStarts(1_000), userStarts(1_400), userStops(1_600))).toEqual(
      ['1500 interrupt'],
    )
    expect(commits({}, userStarts(0), final(300, 'Hello.'), userStarts(500), userStops(1_000))).toEqual([
      '1500 commit Hello.',
    ])
    expect(
      commits({}, userStarts(0), userStarts(500), final(900, 'Hello.'), userStops(1_000), userStops(1_400)),
    ).toEqual(['1500 commit Hello.'])
  })

  it('continues from the state of another machine', () => {
    const machine = machineWith()
    for (const event of [userStarts(0), final(900, 'Hello.'), userStops(1_000)]) machine.handle(event)
    const copy = new TurnMachine(turnSettings({}), structuredClone(machine.state))
    const timer: TurnEvent = { type: 'timer', timer: 'endpoint', due: 1_500, at: 1_500 }
    expect(copy.handle(timer)).toEqual(machine.handle(timer))
    expect(copy.state).toEqual(machine.state)
  })

  it('limits the length of a turn that is never committed', () => {
    const machine = machineWith({ mode: 'manual' })
    for (let at = 0; at < 300; at++) machine.handle(final(at, `${at} ${'word '.repeat(100)}`))
    const { text } = machine.pendingWords
    expect(text.length).toBe(100_000)
    expect(text).toContain('299 word')
  })

  it.each([
    [{ endpointing: { delay: -1 } }, 'endpointing.delay must be a finite number of milliseconds'],
    [{ endpointing: { delay: 900, maxDelay: 800 } }, 'endpointing.maxDelay must be at least 900'],
    [{ idle: Number.NaN }, 'idle must be a finite number'],
    [{ bargeIn: { minWords: 0.5 } }, 'bargeIn.minWords must be a whole number, 0 or more'],
    [{ dtmf: { count: 0 } }, 'dtmf.count must be a whole number, 1 or more'],
    [{ preemptive: { attempts: 0 } }, 'preemptive.attempts must be'],
    [{ falseInterruption: { timeout: Number.POSITIVE_INFINITY } }, 'falseInterruption.timeout must be'],
    [{ vad: false }, "mode 'vad' without a VAD"],
    [{ wordless: true }, "wordless turns need mode 'manual'"],
  ] satisfies [TurnOptions, string][])('rejects invalid options: %j', (options, message) => {
    expect(() => machineWith(options)).toThrow(OptionError)
    expect(() => machineWith(options)).toThrow(message)
  })
})
