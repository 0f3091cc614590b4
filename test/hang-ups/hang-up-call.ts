import { pcm } from '../../src/audio/index.ts'
import type { Line } from '../../src/parts/index.ts'
import { Agent, Session, tool, type SessionReport } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, callTool } from '../../src/testing/index.ts'
import type { LlmAnswer } from '../../src/testing/script.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import type { LineClient, LineStage, OpenStage } from './line-stage.ts'

/** How long a session may take to close here. */
const CLOSE_TIMEOUT = 1_500
/** Milliseconds per character of the agent's speech. */
const PACE = 10
/** How long the tool takes. */
const LOOKUP = 300

/** What the caller types, and what the model answers. */
const answers: Readonly<Record<string, LlmAnswer>> = {
  hello: 'We are open from eight in the morning to six in the evening, from Monday to Friday.',
  'look it up': [callTool('lookup')],
  close: [callTool('close')],
  bye: [callTool('goodbye')],
}

/** A call on a line, with a session whose agent greets, answers, uses tools and says goodbye. */
export class HangUpCall {
  readonly stage: LineStage
  readonly session: Session
  readonly client: LineClient
  /** The report of each `closed` event. */
  readonly reports: SessionReport[]
  /** When the session closed. */
  readonly closedAt: () => number | undefined
  readonly #events: ReadonlySet<string>
  readonly #changes: Changes

  private constructor(
    stage: LineStage,
    client: LineClient,
    made: { session: Session; reports: SessionReport[]; events: Set<string>; changes: Changes },
    closedAt: () => number | undefined,
  ) {
    this.stage = stage
    this.client = client
    this.session = made.session
    this.reports = made.reports
    this.closedAt = closedAt
    this.#events = made.events
    this.#changes = made.changes
  }

  static async open(
    openStage: OpenStage,
    { ready, maxDuration }: { readonly ready: boolean; readonly maxDuration?: number | undefined },
  ): Promise<HangUpCall> {
    const reports: SessionReport[] = []
    const events = new Set<string>()
    const changes = new Changes()
    let session: Session | undefined
    let closedAt: number | undefined
    const stage: LineStage = await openStage((line) => {
      session = sessionOn(line, stage, maxDuration)
      session.on('closed', (report) => {
        closedAt ??= stage.clock.now()
        reports.push(report)
        changes.notify()
      })
      for (const event of ['started', 'speaking', 'spoken', 'tool'] as const)
        session.on(event, () => {
          events.add(event)
          changes.notify()
        })
      session.on('state', ({ state }) => {
        events.add(state)
        changes.notify()
      })
      changes.notify()
      return session.start()
    })
    const client = await stage.call(ready)
    await changes.until(() => session !== undefined)
    return new HangUpCall(stage, client, { session: session!, reports, events, changes }, () => closedAt)
  }

  /** Resolves when the session has emitted an event, or reached a state, or has closed. */
  async emits(event: string): Promise<void> {
    await this.#changes.until(() => this.#events.has(event) || this.reports.length > 0)
  }

  /** Resolves when the client has played sound, or the session has closed. */
  async hears(): Promise<void> {
    const heard = this.client.until(() => this.client.hears || this.client.isGone)
    await Promise.any([heard, this.closed()])
  }

  async closed(): Promise<void> {
    await this.#changes.until(() => this.reports.length > 0)
  }

  /** Forgets the events so far. */
  forget(): void {
    ;(this.#events as Set<string>).clear()
  }
}

function sessionOn(line: Line, { clock, random }: LineStage, maxDuration: number | undefined): Session {
  const agent = new Agent({
    name: 'desk',
    instructions: 'You answer the phone.',
    onEnter: ({ session }) => session.say('Good morning, this is Bright Dental.'),
    tools: {
      lookup: tool({
        description: 'Looks something up',
        run: (_, { signal }) =>
          new Promise((resolve, reject) => {
            const timer = clock.after(LOOKUP, 'the tool', () => resolve('nothing'))
            signal.addEventListener('abort', () => {
              timer.clear()
              reject(signal.reason as Error)
            })
          }),
      }),
      close: tool({ description: 'Closes', run: (_, { close }) => close().then(() => {}) }),
      goodbye: tool({
        description: 'Hangs up',
        run: (_, { hangUp }) => hangUp({ say: 'Thank you for calling, and goodbye!' }),
      }),
    },
  })
  return new Session({
    agent,
    models: {
      llm: new ScriptedLlm({
        answers: ({ messages }) => {
          const last = messages.at(-1)
          return (last?.role === 'user' && answers[last.text]) || 'Nothing was found.'
        },
      }),
      tts: new ScriptedTts({ speaks: [pcm(24_000)], msPerCharacter: PACE }),
      stt: new ScriptedStt(),
      vad: new ScriptedVad(),
    },
    line,
    clock,
    random,
    closeTimeout: CLOSE_TIMEOUT,
    lastWordsTimeout: 300,
    ...(maxDuration === undefined ? {} : { maxDuration }),
  })
}
