import assert from 'node:assert/strict'
import type { AudioFrame } from '../../src/audio/index.ts'
import type { LineConnection, LineEvents, PartContext } from '../../src/parts/index.ts'
import { check, type Check, type Stage, type TestPartContext } from '../../src/testing/index.ts'

/** The caller on a line that was answered. */
export interface RuleCaller {
  hangsUp(): void
  /** Goes silent: the connection stays open, and nothing comes. */
  vanishes(): void
  says(ms: number): void
  /** The words that the caller heard, in order. */
  readonly words: string
  /** Resolves when the caller has noticed the end of the call. */
  ended(): Promise<void>
}

/** A kind of line, and the network between the line and its callers. */
export interface RuleSubject {
  readonly rejoinTimeout: number
  readonly lostTimeout: number
  /** Encodes a text as sound of this line, 50 ms per character. */
  soundOf(text: string): AudioFrame
  /** Places a call; `answer` opens its line. Resolves when both sides can talk. */
  call(answer: (open: Open) => Promise<void>): Promise<RuleCaller>
  /** Breaks all connections and the network, until `mends`. Callers come back by themselves. */
  breaks(): void
  mends(): void
  /** Replaces the caller's connection by another one to the same call. The old one can still send. */
  replaces(caller: RuleCaller): Promise<{ readonly old: { says(): void } }>
  /** How many calls were answered. */
  readonly answered: () => number
  /** Callers that must not be admitted, by what is wrong with them. Each resolves when the caller was refused. */
  readonly strangers: Readonly<Record<string, () => Promise<unknown>>>
  /** Calls with valid credentials. */
  friend(): Promise<unknown>
}

export type Open = (context: PartContext, events: LineEvents) => Promise<LineConnection>

interface Emitted {
  readonly what: string
  readonly id?: number
  readonly heard?: number
  readonly at: number
}

/** A call that a test answers. */
class Call {
  readonly emitted: Emitted[] = []
  readonly frames: AudioFrame[] = []
  readonly context: TestPartContext
  readonly #stage: Stage
  readonly #subject: RuleSubject
  readonly #looks = new Set<() => void>()
  connection!: LineConnection
  caller!: RuleCaller

  constructor(stage: Stage, subject: RuleSubject) {
    this.#stage = stage
    this.#subject = subject
    this.context = stage.context()
  }

  static async of(stage: Stage, subject: RuleSubject): Promise<Call> {
    const call = new Call(stage, subject)
    call.caller = await stage.soon(
      subject.call(async (open) => {
        call.connection = await open(call.context, call.#events())
      }),
      'answering',
    )
    return call
  }

  get words(): string[] {
    return this.emitted.map(({ what, id }) => (id === undefined ? what : `${what} ${id}`))
  }

  say(text: string, mark: number): void {
    this.connection.play(this.#subject.soundOf(text))
    this.connection.mark(mark)
  }

  /** Resolves when the line has emitted an event of this kind. */
  emits(what: string, id?: number): Promise<Emitted> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.emitted.find((each) => each.what === what && (id === undefined || each.id === id))
        if (!found) return
        this.#looks.delete(look)
        resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }

  #events(): LineEvents {
    const note = (event: Omit<Emitted, 'at'>): void => {
      this.emitted.push({ ...event, at: this.#stage.clock.now() })
      for (const look of this.#looks) look()
    }
    return {
      frame: (frame) => {
        this.frames.push(frame)
        if (this.frames.length === 1) note({ what: 'first frame' })
      },
      marked: (id, heard) => note({ what: 'marked', id, ...(heard === undefined ? {} : { heard }) }),
      dtmf: () => note({ what: 'key' }),
      text: () => note({ what: 'text' }),
      hungUp: () => note({ what: 'hung up' }),
      lost: () => note({ what: 'lost' }),
      handedOver: () => note({ what: 'handed over' }),
    }
  }
}

const ends = ({ words }: Call): string[] => words.filter((what) => what === 'hung up' || what === 'lost')
const WORDS = 'Bright Dental, good morning! How can I help you?'
const WHOLE = WORDS.length * 50
/** About 15 s. */
const LONG = WORDS.repeat(6)

/** The rules that every line keeps: to the millisecond on simulated sockets, in order on real ones. */
export const lineRules: readonly Check<RuleSubject>[] = [
  check('[LN1] a hang-up is emitted at once, after the pending marks', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    call.say(WORDS, 1)
    await stage.elapse(1_000)
    call.caller.hangsUp()
    await call.emits('hung up')
    assert.deepEqual(call.words.slice(-2), ['marked 1', 'hung up'])
    const { heard } = call.emitted.at(-2)!
    assert.ok(heard! <= WHOLE, `${heard} ms were heard`)
  }),

  check('[LN1] a bare disconnect becomes a loss after rejoinTimeout', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    const cutAt = stage.clock.now()
    subject.breaks()
    const { at } = await call.emits('lost')
    assert.ok(at - cutAt >= subject.rejoinTimeout - 1, `the call was lost after ${at - cutAt} ms`)
    await stage.elapse(2_000)
    assert.deepEqual(ends(call), ['lost'])
    await call.context.scope.close()
    assert.deepEqual(
      call.context.connections.map(({ how }) => how),
      ['dropped'],
    )
  }),

  check('[LN1] closing the scope of a call hangs up', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    const report = await stage.soon(call.context.scope.close(), 'closing')
    assert.ok(report.clean, JSON.stringify(report))
    await call.caller.ended()
    assert.deepEqual(ends(call), [])
  }),

  check(
    '[LN2] a caller who goes silent is lost after lostTimeout, and not before',
    async (stage, subject) => {
      const call = await Call.of(stage, subject)
      await stage.elapse(3_000)
      assert.deepEqual(ends(call), [])
      const goneAt = stage.clock.now()
      call.caller.vanishes()
      const { at } = await call.emits('lost')
      // The last sign of life may have come a little earlier.
      const least = (subject.lostTimeout * 2) / 3
      assert.ok(at - goneAt >= least, `the caller was lost after ${at - goneAt} ms`)
    },
  ),

  check('[LN3] every mark reports how much of its sound was heard', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    call.say('Hello?', 1)
    call.say('Yes', 2)
    await stage.elapse(700)
    call.say(WORDS, 3)
    await stage.elapse(600)
    call.connection.clear()
    await stage.elapse(1_500)
    assert.deepEqual(
      call.words.filter((what) => what.startsWith('marked')),
      ['marked 1', 'marked 2', 'marked 3'],
    )
    const [one, two, three] = call.emitted.filter(({ what }) => what === 'marked')
    assert.equal(Math.round(one!.heard!), 300)
    assert.equal(Math.round(two!.heard!), 150)
    const characters = call.caller.words.length - 'Hello?Yes'.length
    assert.ok(call.caller.words.startsWith('Hello?Yes'), call.caller.words)
    // The claim matches what the caller heard, to 200 ms.
    assert.ok(
      Math.abs(three!.heard! - characters * 50) <= 200,
      `the line claims ${three!.heard} ms, and ${characters} characters were heard`,
    )
  }),

  check(
    '[LN4] a caller who is cut off and comes back is in the same call, and misses nothing',
    async (stage, subject) => {
      const call = await Call.of(stage, subject)
      call.say(LONG, 1)
      await stage.elapse(700)
      subject.breaks()
      await stage.elapse(500)
      subject.mends()
      await call.emits('marked')
      assert.deepEqual(ends(call), [])
      assert.equal(subject.answered(), 1)
      assert.equal(Math.round(call.emitted.find(({ what }) => what === 'marked')!.heard!), LONG.length * 50)
      // Sound that is not known to have been heard may be repeated, but none may be missing.
      assert.ok(inOrder(LONG, call.caller.words), call.caller.words)
      await stage.soon(call.context.scope.close(), 'closing')
      assert.deepEqual(
        call.context.connections.map(({ how, retries }) => ({ dropped: how === 'dropped', retries })),
        [{ dropped: false, retries: 1 }],
      )
    },
  ),

  check('[LN4] a caller who comes back does not hear what was cleared meanwhile', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    call.say(LONG, 1)
    await stage.elapse(500)
    subject.breaks()
    await stage.elapse(300)
    call.connection.clear()
    call.say('Yes?', 2)
    subject.mends()
    await call.emits('marked', 2)
    assert.deepEqual(
      call.words.filter((what) => what.startsWith('marked')),
      ['marked 1', 'marked 2'],
    )
    assert.ok(call.caller.words.endsWith('Yes?'), call.caller.words)
    assert.ok(call.caller.words.length < LONG.length, call.caller.words)
  }),

  check('[LN4] a connection that was replaced is not heard any more', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    const { old } = await subject.replaces(call.caller)
    const before = loudness(call.frames)
    old.says()
    await stage.elapse(500)
    assert.equal(loudness(call.frames), before, 'the old connection was heard')
    assert.equal(subject.answered(), 1)
    assert.deepEqual(ends(call), [])
  }),

  check('[LN5] a caller who is not admitted gets no session', async (stage, subject) => {
    for (const [who, dials] of Object.entries(subject.strangers)) {
      await stage.soon(dials(), `the refusal of ${who}`)
      await stage.elapse(50)
      assert.equal(subject.answered(), 0, `${who} was admitted`)
    }
    await stage.soon(subject.friend(), 'a call')
    assert.equal(subject.answered(), 1)
  }),
]

/** The rules of lines whose callers cannot come back: those without LN4. */
export const finalLineRules = lineRules.filter(({ name }) => !name.startsWith('[LN4]'))

/** The number of samples that are not silent. */
const loudness = (frames: readonly AudioFrame[]): number =>
  frames.reduce((sum, { samples }) => sum + samples.filter((sample) => Math.abs(sample) > 100).length, 0)

/** Whether a text was heard from beginning to end, with one short repetition at most. */
function inOrder(text: string, heard: string): boolean {
  if (heard.length > text.length + 30) return false
  for (let split = 0; split <= text.length; split++)
    for (let back = 0; back <= 30; back++)
      if (text.slice(0, split) + text.slice(Math.max(0, split - back)) === heard) return true
  return false
}
