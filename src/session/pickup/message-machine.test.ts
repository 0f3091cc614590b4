import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import { MessageMachine, type MessageCommand, type MessageEvent } from './message-machine.ts'

const settings = { silence: 2_000, timeout: 30_000 }

/** A message in virtual time. */
class Message {
  readonly machine = new MessageMachine(settings)
  readonly commands: string[] = []
  now = 10_000
  #due: number | undefined

  static during(begin: Partial<Extract<MessageEvent, { type: 'begin' }>> = {}): Message {
    const message = new Message()
    message.handle({ type: 'begin', ready: undefined, speaking: false, quietSince: message.now, ...begin })
    return message
  }

  get timed(): boolean {
    return this.#due !== undefined
  }

  handle(event: Untimed<MessageEvent>): string[] {
    const commands = this.machine.handle({ ...event, at: this.now }).flatMap((each) => this.#note(each))
    this.commands.push(...commands)
    return commands
  }

  speech(speaks: boolean): string[] {
    return this.handle({ type: 'speech', speaks, since: this.now })
  }

  said(how: 'played' | 'interrupted' | 'failed' = 'played', confirmed = true): string[] {
    return this.handle({ type: 'said', how, confirmed })
  }

  pass(ms: number): string[] {
    const until = this.now + ms
    const before = this.commands.length
    while (this.#due !== undefined && this.#due <= until) {
      const due = this.#due
      this.#due = undefined
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer: 'next', due })
    }
    this.now = until
    return this.commands.slice(before)
  }

  #note(command: MessageCommand): string[] {
    if (command.type === 'set-timer') this.#due = command.at
    else if (command.type === 'clear-timer') this.#due = undefined
    else if (command.type === 'done') {
      const { how, heard, after, attempts } = command.outcome
      return [`${how} after ${after}, ${attempts} times, ${heard ? 'heard' : 'not heard'}`]
    } else return [command.type]
    return []
  }
}

describe('a message', () => {
  it('[MD6] begins with the beep', () => {
    const message = Message.during({ speaking: true })
    expect(message.pass(8_000)).toEqual([])
    expect(message.handle({ type: 'beep' })).toEqual(['say'])
    expect(message.said()).toEqual(['played after beep, 1 times, heard'])
    expect(message.timed).toBe(false)
  })

  it('[MD6] begins at once if the machine records already', () => {
    const message = new Message()
    expect(message.handle({ type: 'begin', ready: 'beep', speaking: false, quietSince: 0 })).toEqual(['say'])
  })

  it('[MD6] begins when the carrier says that the greeting has ended', () => {
    const message = Message.during({ speaking: true })
    expect(message.handle({ type: 'ready', beep: false })).toEqual(['say'])
    expect(message.said()).toEqual(['played after carrier, 1 times, heard'])
  })

  it('[MD6] begins without a beep after 2 s of silence', () => {
    const message = Message.during({ speaking: true })
    message.pass(3_000)
    message.speech(false)
    expect(message.pass(1_999)).toEqual([])
    expect(message.pass(1)).toEqual(['say'])
    expect(message.said()).toEqual(['played after silence, 1 times, heard'])
  })

  it('[MD6] begins after 30 s, whatever the machine does, and then it is not heard', () => {
    const message = Message.during({ speaking: true })
    expect(message.pass(29_999)).toEqual([])
    expect(message.pass(1)).toEqual(['say'])
    expect(message.said()).toEqual(['played after timeout, 1 times, not heard'])
  })

  it('[MD6] begins again, once, if the machine beeps during it', () => {
    const message = Message.during()
    expect(message.pass(2_000)).toEqual(['say'])
    expect(message.handle({ type: 'beep' })).toEqual(['stop'])
    expect(message.said('interrupted')).toEqual(['say'])
    message.pass(1_500)
    expect(message.handle({ type: 'beep' })).toEqual([])
    expect(message.said()).toEqual(['played after beep, 2 times, not heard'])
    const fine = Message.during()
    fine.pass(2_000)
    fine.handle({ type: 'ready', beep: true })
    expect(fine.said('interrupted')).toEqual(['say'])
    expect(fine.handle({ type: 'beep' })).toEqual([])
    expect(fine.said()).toEqual(['played after beep, 2 times, heard'])
  })

  it('[MD6] does not begin again for a beep that the carrier and we hear one after the other', () => {
    for (const [first, second] of [
      [{ type: 'beep' }, { type: 'ready', beep: true }],
      [{ type: 'ready', beep: true }, { type: 'beep' }],
    ] as const) {
      const message = Message.during({ speaking: true })
      expect(message.handle(first)).toEqual(['say'])
      message.pass(1_000)
      expect(message.handle(second)).toEqual([])
      expect(message.said()).toEqual(['played after beep, 1 times, heard'])
    }
  })

  it('[MD6] begins again, once, if the machine goes on talking', () => {
    const message = Message.during()
    message.pass(2_000)
    message.speech(true)
    expect(message.pass(999)).toEqual([])
    expect(message.pass(1)).toEqual(['stop'])
    expect(message.said('interrupted')).toEqual([])
    message.pass(4_000)
    message.speech(false)
    expect(message.pass(2_000)).toEqual(['say'])
    message.speech(true)
    expect(message.pass(5_000)).toEqual([])
    expect(message.said()).toEqual(['played after silence, 2 times, not heard'])
  })

  it('[MD6] takes a click for no speech', () => {
    const message = Message.during()
    message.pass(2_000)
    message.speech(true)
    message.pass(400)
    message.speech(false)
    expect(message.pass(5_000)).toEqual([])
    expect(message.said()).toEqual(['played after silence, 1 times, heard'])
  })

  it('[MD7] is heard only if all of it was played, and the line confirmed it', () => {
    for (const [how, confirmed] of [
      ['played', false],
      ['interrupted', true],
      ['failed', true],
    ] as const) {
      const message = Message.during({ ready: 'beep' })
      expect(message.said(how, confirmed)).toEqual([`${how} after beep, 1 times, not heard`])
    }
  })

  it('[MD6] ends once, is said at most twice, and leaves no timer, whatever happens', () => {
    const events: fc.Arbitrary<Untimed<MessageEvent>> = fc.oneof(
      fc.record({
        type: fc.constant('speech' as const),
        speaks: fc.boolean(),
        since: fc.integer({ min: 0, max: 60_000 }),
      }),
      fc.constant({ type: 'beep' } as const),
      fc.boolean().map((beep) => ({ type: 'ready', beep }) as const),
      fc.record({
        type: fc.constant('said' as const),
        how: fc.constantFrom('played' as const, 'interrupted' as const, 'failed' as const),
        confirmed: fc.boolean(),
      }),
    )
    const step = fc.record({ event: events, wait: fc.integer({ min: 0, max: 10_000 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (script, speaking) => {
        const message = Message.during({ speaking })
        for (const { event, wait } of script) {
          // Only what was begun can end.
          if (event.type !== 'said' || message.commands.includes('say')) message.handle(event)
          message.pass(wait)
        }
        // Whatever is said ends, and every wait has a bound.
        for (let i = 0; i < 3; i++) {
          message.pass(settings.timeout + 2_000)
          message.said()
        }
        const ends = message.commands.filter((each) => each.includes(' after '))
        assert.equal(ends.length, 1)
        assert.ok(message.commands.filter((each) => each === 'say').length <= 2)
        assert.equal(message.timed, false)
      }),
      { numRuns: 5_000 },
    )
  })
})
