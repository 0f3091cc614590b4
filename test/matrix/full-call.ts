import { Agent, AgentTask, Session, tool, type SessionReport } from '../../src/session/index.ts'
import {
  Faults,
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  callTool,
  type LlmAnswer,
  type PartCounts,
  type SimClock,
  type World,
} from '../../src/testing/index.ts'
import type { EndableCall } from '../../src/testing/call-ends.ts'
import type { CallParts } from '../../src/testing/troubles.ts'

/** How the parts of a call differ from the default. */
export interface FullCallOptions extends CallParts {
  readonly preemptive?: boolean
  readonly closeTimeout?: number
}

/** Answers of the model, by what the user types. */
const answers: Readonly<Record<string, LlmAnswer>> = {
  'use lookup': ['One moment. ', callTool('lookup')],
  'use book': ['I can book that. ', callTool('book')],
  'use transfer': ['I will put you through. ', callTool('transfer')],
  'use ask': [callTool('ask')],
  'use goodbye': [callTool('goodbye')],
}

const ANSWER = 'This is my answer, and it is long enough to be interrupted in the middle.'

/** The words that a realtime model is asked to say. */
function wordsToSay(instructions: string | undefined): string | undefined {
  const [, words] = /: (".*")$/.exec(instructions ?? '') ?? []
  return words === undefined ? undefined : (JSON.parse(words) as string)
}

/** A promise that the session returned and that must settle (CL10). */
export interface TrackedPromise {
  readonly what: string
  settled: boolean
}

/**
 * A session with every kind of hook, tool and guardrail, in virtual time and with scripted parts, so that each of its steps
 * can be made to misbehave by name.
 */
export class FullCall implements EndableCall {
  readonly world: World
  readonly faults: Faults
  readonly session: Session
  readonly line: TestLine
  readonly stt: ScriptedStt
  readonly llm: ScriptedLlm
  readonly tts: ScriptedTts
  readonly vad = new ScriptedVad()
  readonly realtime: ScriptedRealtime
  /** All parts that might be left open. */
  readonly parts: readonly { readonly name: string; readonly counts: PartCounts }[]
  readonly closed: { readonly report: SessionReport; readonly at: number }[] = []
  readonly promises: TrackedPromise[] = []
  /** The name of every step that ran. */
  readonly steps = new Set<string>()
  readonly errors: string[] = []
  readonly afterCalls: SessionReport[] = []
  closingAt: number | undefined

  constructor(world: World, options: FullCallOptions) {
    const { clock, random } = world
    this.world = world
    this.faults = new Faults((ms) => clock.elapse(ms))
    this.line = new TestLine(options.line)
    this.stt = new ScriptedStt({ finalOn: 'flush', ...options.stt })
    this.llm = new ScriptedLlm({
      answers: ({ messages }) => {
        const last = messages.findLast(({ role }) => role === 'user' || role === 'tool-result')
        const asked = last?.role === 'user' ? answers[last.text] : undefined
        return asked ?? ANSWER
      },
      ...options.llm,
    })
    this.tts = new ScriptedTts(options.tts)
    const { line, stt, llm, tts, vad } = this
    this.realtime = new ScriptedRealtime({
      answers: ({ user, instructions }) => answers[user] ?? wordsToSay(instructions) ?? ANSWER,
      // The same timing as in a pipeline.
      ...(options.llm?.firstAfter === undefined ? {} : { firstAfter: options.llm.firstAfter }),
      ...(options.stt?.finalAfter === undefined ? {} : { finalAfter: options.stt.finalAfter }),
      ...(options.stt?.openTakes === undefined ? {} : { openTakes: options.stt.openTakes }),
      ...options.realtime,
    })
    this.parts = [line, stt, llm, tts, vad, this.realtime]
    this.session = new Session({
      agent: this.#desk(),
      models: options.realtime ? { realtime: this.realtime } : { llm, stt, tts, vad },
      line: this.line,
      id: 'case',
      clock,
      random,
      intercept: (at, run) => {
        this.steps.add(`${at.kind}:${at.name}`)
        return this.faults.intercept(at, run)
      },
      closeTimeout: options.closeTimeout ?? 5_000,
      turns: options.realtime ? {} : { preemptive: options.preemptive ?? false },
      recording: { write() {}, patch() {}, close() {}, abort() {} },
      afterCall: (report) => void this.afterCalls.push(report),
    })
    this.session.on('state', ({ state }) => {
      world.tell(`session is ${state}`)
      if (state === 'closing') this.closingAt ??= clock.now()
    })
    this.session.on('closed', (report) => this.closed.push({ report, at: clock.now() }))
    this.session.on('error', ({ where }) => {
      world.tell(`error: ${where}`)
      this.errors.push(where)
    })
    this.session.on('tool', ({ name }) => world.tell(`tool ${name} is called`))
    this.session.on('speaking', () => world.tell('the agent speaks'))
  }

  get clock(): SimClock {
    return this.world.clock
  }

  failModel(): void {
    this.stt.fail()
    this.realtime.drop()
  }

  /** Tracks a promise that must settle by the time the session has closed. */
  track<T>(what: string, promise: Promise<T>): Promise<T | undefined> {
    const tracked: TrackedPromise = { what, settled: false }
    this.promises.push(tracked)
    return promise.then(
      (value) => {
        tracked.settled = true
        return value
      },
      () => {
        tracked.settled = true
        return undefined
      },
    )
  }

  start(): Promise<unknown> {
    return this.track('start()', this.session.start())
  }

  #desk(): Agent {
    const { clock } = this.world
    const elapse = (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        clock.elapse(ms).then(resolve, reject)
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
    const billing = new Agent({ name: 'billing', instructions: 'You do the bills.', onEnter: () => {} })
    const question = new AgentTask<string>({
      name: 'question',
      instructions: 'Ask for the name.',
      tools: (done) => ({ answer: tool({ description: 'The answer', run: () => done('Ada') }) }),
      onExit: () => {},
    })
    return new Agent({
      name: 'desk',
      instructions: 'You answer the phone.',
      onEnter: ({ session }) => {
        const greeting = session.say('Good morning, this is the desk of Bright Dental.')
        return this.track('greeting', greeting.waitForPlayout()).then(() => {})
      },
      onExit: () => clock.elapse(20),
      toolsets: [
        {
          name: 'crm',
          open: async ({ scope }) => {
            scope.own('crm', { close: () => clock.elapse(5), abort() {} })
            return {}
          },
        },
      ],
      onTurn: () => clock.elapse(1),
      guardrails: {
        input: { polite: () => clock.elapse(400).then(() => undefined) },
        output: { honest: () => clock.elapse(100).then(() => undefined) },
      },
      tools: {
        lookup: tool({ description: 'Looks something up', run: (_, { signal }) => elapse(3_000, signal) }),
        book: tool({ description: 'Books', approval: true, run: () => 'booked' }),
        transfer: tool({ description: 'To billing', run: () => billing }),
        ask: tool({
          description: 'Asks',
          timeout: 60_000,
          run: (_, { run }) => this.track('nested task', run(question)),
        }),
        goodbye: tool({
          description: 'Closes from within',
          run: async (_, { close }) => {
            await this.track('close() in a tool', close())
          },
        }),
      },
    })
  }
}
