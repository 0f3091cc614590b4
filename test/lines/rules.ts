import assert from 'node:assert/strict'
import type { AudioFrame } from '../../src/audio/index.ts'
import type { LineConnection, LineEvents, PartContext } from '../../src/parts/index.ts'
import { check, type Check, type Stage, type TestPartContext } from '../../src/testing/index.ts'

/** Somebody at the other end of a line that has been answered. */
export interface RuleCaller {
  hangsUp(): void
  /** Is gone without a word: the connection stands, and nothing comes. */
  vanishes(): void
  says(ms: number): void
  /** The words that came out, in order. */
  readonly words: string
  /** Resolves when he has noticed that the call is over. */
  ended(): Promise<void>
}

/** A kind of line, and the network between it and its callers. */
export interface RuleSubject {
  readonly rejoinTimeout: number
  readonly lostTimeout: number
  /** How the words of a text sound on this line: 50 ms each character. */
  soundOf(text: string): AudioFrame
  /** Somebody calls; `answer` opens his line. Resolves when they can talk. */
  call(answer: (open: Open) => Promise<void>): Promise<RuleCaller>
  /** Everything that is connected breaks, and nothing gets through until it is mended. Callers come back by themselves. */
  breaks(): void
  mends(): void
  /** Whoever is connected is replaced by another connection to the same call, and goes on talking. */
  replaces(caller: RuleCaller): Promise<{ readonly old: { says(): void } }>
  /** Sessions there ever were. */
  readonly answered: () => number
  /** Whoever must not be let in, by what is wrong with him. Each resolves when he has been refused. */
  readonly strangers: Readonly<Record<string, () => Promise<unknown>>>
  /** Who shows what the line wants. */
  friend(): Promise<unknown>
}

export type Open = (context: PartContext, events: LineEvents) => Promise<LineConnection>

interface Told {
  readonly what: string
  readonly id?: number
  readonly heard?: number
  readonly at: number
}

/** A call that was answered by hand. */
class Call {
  readonly told: Told[] = []
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
    return this.told.map(({ what, id }) => (id === undefined ? what : `${what} ${id}`))
  }

  say(text: string, mark: number): void {
    this.connection.play(this.#subject.soundOf(text))
    this.connection.mark(mark)
  }

  /** Resolves when the line has told something of this kind. */
  tells(what: string, id?: number): Promise<Told> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.told.find((each) => each.what === what && (id === undefined || each.id === id))
        if (!found) return
        this.#looks.delete(look)
        resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }

  #events(): LineEvents {
    const note = (told: Omit<Told, 'at'>): void => {
      this.told.push({ ...told, at: this.#stage.clock.now() })
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
    }
  }
}

const ends = ({ words }: Call): string[] => words.filter((what) => what === 'hung up' || what === 'lost')
const WORDS = 'Bright Dental, good morning! How can I help you?'
const WHOLE = WORDS.length * 50
/** A quarter of a minute. */
const LONG = WORDS.repeat(6)

/** The rules of lines, for every line: on simulated sockets to the millisecond, on real ones in their order. */
export const lineRules: readonly Check<RuleSubject>[] = [
  check('[LN1] a hang-up is told at once, and what was heard before it', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    call.say(WORDS, 1)
    await stage.elapse(1_000)
    call.caller.hangsUp()
    await call.tells('hung up')
    assert.deepEqual(call.words.slice(-2), ['marked 1', 'hung up'])
    const { heard } = call.told.at(-2)!
    assert.ok(heard! <= WHOLE, `${heard} ms were heard`)
  }),

  check('[LN1] a bare disconnect waits rejoinTimeout, and is then a loss', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    const cutAt = stage.clock.now()
    subject.breaks()
    const { at } = await call.tells('lost')
    assert.ok(at - cutAt >= subject.rejoinTimeout - 1, `it was lost after ${at - cutAt} ms`)
    await stage.elapse(2_000)
    assert.deepEqual(ends(call), ['lost'])
    await call.context.scope.close()
    assert.deepEqual(
      call.context.connections.map(({ how }) => how),
      ['dropped'],
    )
  }),

  check('[LN1] a close of its scope hangs up', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    const report = await stage.soon(call.context.scope.close(), 'closing')
    assert.ok(report.clean, JSON.stringify(report))
    await call.caller.ended()
    assert.deepEqual(ends(call), [])
  }),

  check('[LN2] a caller who vanishes is lost, and not before lostTimeout', async (stage, subject) => {
    const call = await Call.of(stage, subject)
    await stage.elapse(3_000)
    assert.deepEqual(ends(call), [])
    const goneAt = stage.clock.now()
    call.caller.vanishes()
    const { at } = await call.tells('lost')
    // The last sign of life may have come a little before.
    const least = (subject.lostTimeout * 2) / 3
    assert.ok(at - goneAt >= least, `he was lost after ${at - goneAt} ms`)
  }),

  check('[LN3] every mark says how much of its sound was heard', async (stage, subject) => {
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
    const [one, two, three] = call.told.filter(({ what }) => what === 'marked')
    assert.equal(Math.round(one!.heard!), 300)
    assert.equal(Math.round(two!.heard!), 150)
    const characters = call.caller.words.length - 'Hello?Yes'.length
    assert.ok(call.caller.words.startsWith('Hello?Yes'), call.caller.words)
    // What is claimed is what came out, to a fifth of a second.
    assert.ok(
      Math.abs(three!.heard! - characters * 50) <= 200,
      `${three!.heard} ms were heard, it says, and ${characters} characters were`,
    )
  }),

  check(
    '[LN4] who is cut off and comes back is in the same call, and misses nothing',
    async (stage, subject) => {
      const call = await Call.of(stage, subject)
      call.say(LONG, 1)
      await stage.elapse(700)
      subject.breaks()
      await stage.elapse(500)
      subject.mends()
      await call.tells('marked')
      assert.deepEqual(ends(call), [])
      assert.equal(subject.answered(), 1)
      assert.equal(Math.round(call.told.find(({ what }) => what === 'marked')!.heard!), LONG.length * 50)
      // A moment that is not known to have been heard may be told twice, none may be missing.
      assert.ok(inOrder(LONG, call.caller.words), call.caller.words)
      await stage.soon(call.context.scope.close(), 'closing')
      assert.deepEqual(
        call.context.connections.map(({ how, retries }) => ({ dropped: how === 'dropped', retries })),
        [{ dropped: false, retries: 1 }],
      )
    },
  ),

  check(
    '[LN4] what was cleared while nobody was there is not told to who comes back',
    async (stage, subject) => {
      const call = await Call.of(stage, subject)
      call.say(LONG, 1)
      await stage.elapse(500)
      subject.breaks()
      await stage.elapse(300)
      call.connection.clear()
      call.say('Yes?', 2)
      subject.mends()
      await call.tells('marked', 2)
      assert.deepEqual(
        call.words.filter((what) => what.startsWith('marked')),
        ['marked 1', 'marked 2'],
      )
      assert.ok(call.caller.words.endsWith('Yes?'), call.caller.words)
      assert.ok(call.caller.words.length < LONG.length, call.caller.words)
    },
  ),

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

  check('[LN5] no session is made for whoever is not let in', async (stage, subject) => {
    for (const [who, knocks] of Object.entries(subject.strangers)) {
      await stage.soon(knocks(), `the refusal of ${who}`)
      await stage.elapse(50)
      assert.equal(subject.answered(), 0, `${who} was let in`)
    }
    await stage.soon(subject.friend(), 'a call')
    assert.equal(subject.answered(), 1)
  }),
]

/** Samples that are not silent. */
const loudness = (frames: readonly AudioFrame[]): number =>
  frames.reduce((sum, { samples }) => sum + samples.filter((sample) => Math.abs(sample) > 100).length, 0)

/** Whether a text was told from its beginning to its end, going back a little at most. */
function inOrder(text: string, told: string): boolean {
  if (told.length > text.length + 30) return false
  for (let split = 0; split <= text.length; split++)
    for (let back = 0; back <= 30; back++)
      if (text.slice(0, split) + text.slice(Math.max(0, split - back)) === told) return true
  return false
}
