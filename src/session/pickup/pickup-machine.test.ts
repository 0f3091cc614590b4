import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import type { AnsweredBy } from './answered.ts'
import { PickupMachine, type PickupCommand, type PickupEvent, type PickupSettings } from './pickup-machine.ts'

const settings: PickupSettings = {
  greeting: 2_500,
  pause: 500,
  silence: 10_000,
  limit: 20_000,
  judges: false,
  words: false,
}

/** A detection in virtual time. */
class Detection {
  readonly machine: PickupMachine
  readonly commands: string[] = []
  now = 1_000
  #due: number | undefined

  constructor(options: Partial<PickupSettings> = {}) {
    this.machine = new PickupMachine({ ...settings, ...options })
    this.handle({ type: 'begin', speaking: false })
  }

  get timed(): boolean {
    return this.#due !== undefined
  }

  handle(event: Untimed<PickupEvent>): string[] {
    const commands = this.machine.handle({ ...event, at: this.now }).flatMap((each) => this.#note(each))
    this.commands.push(...commands)
    return commands
  }

  /** Lets time pass. Returns what was commanded meanwhile. */
  pass(ms: number): string[] {
    const until = this.now + ms
    const before = this.commands.length
    while (this.#due !== undefined && this.#due <= until) {
      const due = this.#due
      this.#due = undefined
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer: 'decide', due })
    }
    this.now = until
    return this.commands.slice(before)
  }

  /** Something is said for this long. */
  speaks(ms: number): string[] {
    const before = this.commands.length
    this.handle({ type: 'speech', speaks: true, since: this.now })
    this.pass(ms)
    this.handle({ type: 'speech', speaks: false, since: this.now })
    return this.commands.slice(before)
  }

  #note(command: PickupCommand): string[] {
    if (command.type === 'set-timer') this.#due = command.at
    else if (command.type === 'clear-timer') this.#due = undefined
    else if (command.type === 'settle') return [`${command.found.by} by ${command.found.how}`]
    else if (command.type === 'late') return [`late: ${command.by}`]
    else return [`judge: ${command.text}`]
    return []
  }
}

describe('finding out who answered', () => {
  it('[MD2] takes a short greeting and then silence for a person', () => {
    const detection = new Detection()
    detection.pass(800)
    detection.speaks(900)
    expect(detection.pass(499)).toEqual([])
    expect(detection.pass(1)).toEqual(['person by greeting'])
    expect(detection.timed).toBe(false)
  })

  it('[MD2] waits for the words of a short greeting, if there will be any', () => {
    const person = new Detection({ words: true })
    person.speaks(900)
    expect(person.pass(700)).toEqual([])
    expect(person.handle({ type: 'words', text: 'Hello?' })).toEqual(['person by greeting'])
    const machine = new Detection({ words: true })
    machine.speaks(900)
    machine.pass(700)
    expect(machine.handle({ type: 'words', text: 'Leave a message.' })).toEqual(['machine by words'])
    const cough = new Detection({ words: true })
    cough.speaks(900)
    expect(cough.pass(1_499)).toEqual([])
    expect(cough.pass(1)).toEqual(['person by greeting'])
    const quick = new Detection({ words: true })
    quick.handle({ type: 'words', text: 'Hello?' })
    quick.speaks(900)
    expect(quick.pass(500)).toEqual(['person by greeting'])
  })

  it('[MD2] counts pauses within a greeting, which goes on after them', () => {
    const detection = new Detection()
    for (let i = 0; i < 5; i++) {
      expect(detection.speaks(700)).toEqual([])
      expect(detection.pass(300)).toEqual([])
    }
    expect(detection.pass(1_199)).toEqual([])
    expect(detection.pass(1)).toEqual(['unknown by greeting'])
  })

  it('[MD2] takes a greeting of 6 s and more for a machine, if its words say nothing', () => {
    const detection = new Detection()
    detection.speaks(6_000)
    expect(detection.pass(1_500)).toEqual(['machine by greeting'])
  })

  it('[MD2] knows a machine and a menu by their words at once', () => {
    const detection = new Detection()
    detection.handle({ type: 'speech', speaks: true, since: detection.now })
    expect(detection.handle({ type: 'words', text: 'You have reached Tom' })).toEqual([])
    expect(detection.handle({ type: 'words', text: 'You have reached Tom please leave a message' })).toEqual([
      'machine by words',
    ])
    const menu = new Detection()
    expect(menu.handle({ type: 'words', text: 'For sales press 1' })).toEqual(['menu by words'])
  })

  it('[MD2] has a long greeting judged, and decides by its length if that says nothing', () => {
    for (const [by, expected] of [
      ['person', 'person by judge'],
      [undefined, 'unknown by greeting'],
    ] as const) {
      const detection = new Detection({ judges: true })
      detection.handle({ type: 'words', text: 'Bright Dental good morning' })
      detection.speaks(4_000)
      expect(detection.pass(1_500)).toEqual(['judge: Bright Dental good morning'])
      detection.handle({ type: 'speech', speaks: true, since: detection.now })
      expect(detection.handle({ type: 'judged', by })).toEqual([expected])
    }
    const never = new Detection({ judges: true })
    never.handle({ type: 'words', text: 'Bright Dental' })
    never.speaks(4_000)
    expect(never.pass(30_000)).toEqual(['judge: Bright Dental', 'unknown by limit'])
  })

  it('[MD2] knows a machine by its beep, and a fax by its tone', () => {
    expect(new Detection().handle({ type: 'tone', tone: 'beep' })).toEqual(['machine by tone'])
    expect(new Detection().handle({ type: 'tone', tone: 'fax' })).toEqual(['fax by tone'])
  })

  it('[MD2] does not know after 10 s of silence, or after 20 s in all', () => {
    const silent = new Detection()
    expect(silent.pass(9_999)).toEqual([])
    expect(silent.pass(1)).toEqual(['unknown by silence'])
    const endless = new Detection()
    endless.handle({ type: 'speech', speaks: true, since: endless.now })
    expect(endless.pass(19_999)).toEqual([])
    expect(endless.pass(1)).toEqual(['unknown by limit'])
  })

  it('[MD3] believes the carrier, if it knows and comes first', () => {
    const detection = new Detection()
    expect(detection.handle({ type: 'carrier', by: 'unknown' })).toEqual([])
    expect(detection.handle({ type: 'carrier', by: 'machine' })).toEqual(['machine by carrier'])
    expect(detection.handle({ type: 'carrier', by: 'person' })).toEqual([])
  })

  it('[MD3] reports a verdict of the carrier that comes later, once', () => {
    const detection = new Detection()
    detection.speaks(900)
    detection.pass(500)
    expect(detection.handle({ type: 'carrier', by: 'machine' })).toEqual(['late: machine'])
    expect(detection.handle({ type: 'carrier', by: 'machine' })).toEqual([])
    expect(detection.timed).toBe(false)
  })

  it('[MD2] [MD3] settles once, in time, and leaves no timer, whatever happens', () => {
    const who = fc.constantFrom<AnsweredBy>('person', 'machine', 'fax', 'menu', 'unknown')
    const events: fc.Arbitrary<Untimed<PickupEvent>> = fc.oneof(
      fc.record({
        type: fc.constant('speech' as const),
        speaks: fc.boolean(),
        since: fc.integer({ min: -5_000, max: 60_000 }),
      }),
      fc
        .constantFrom('', 'Hello', 'leave a message', 'press 1')
        .map((text) => ({ type: 'words', text }) as const),
      fc.constantFrom('beep', 'fax').map((tone) => ({ type: 'tone', tone }) as const),
      who.map((by) => ({ type: 'carrier', by }) as const),
      fc.option(who, { nil: undefined }).map((by) => ({ type: 'judged', by }) as const),
      fc.constant({ type: 'begin', speaking: true } as const),
    )
    const step = fc.record({ event: events, wait: fc.integer({ min: 0, max: 4_000 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), fc.boolean(), (script, judges, words) => {
        const detection = new Detection({ judges, words })
        for (const { event, wait } of script) {
          detection.handle(event)
          if (detection.machine.isSettled) assert.equal(detection.timed, false)
          detection.pass(wait)
        }
        detection.pass(settings.limit)
        const outcomes = detection.commands.filter((each) => !/^(judge|late)/.test(each))
        assert.equal(outcomes.length, 1)
        assert.ok(detection.commands.filter((each) => each.startsWith('judge:')).length <= 1)
        assert.ok(detection.commands.filter((each) => each.startsWith('late:')).length <= 1)
        assert.equal(detection.timed, false)
      }),
      { numRuns: 5_000 },
    )
  })
})
