import { agentFor, type AgentFile, type CallInfo, type CallOptions } from '../../host/index.ts'
import type { Line } from '../../parts/index.ts'
import { callOut, describeError, noop, systemClock, type Clock } from '../../scope/index.ts'
import { Session, type Models, type SessionReport, type Speech } from '../../session/index.ts'
import { Activity } from '../../testing/activity.ts'
import { drain } from '../../testing/index.ts'
import type { Screen } from './screen.ts'

export interface ConversationOptions {
  readonly file: AgentFile
  readonly models: Models
  readonly line: Line
  /** Hangs up on the caller's side. */
  readonly hangUp: () => void
  readonly screen: Screen
  /** Whether the caller hears the agent. Without sound, there is no background and no recording. */
  readonly sound: boolean
  /** Called when only the caller can make something happen, and when something else has begun. */
  readonly idle?: () => void
  readonly clock?: Clock
}

/** A tool call that waits for somebody to approve it. */
interface Approval {
  readonly id: string
  readonly name: string
}

/**
 * One call with the agent of a file in the terminal, without a server.
 *
 *   the caller ─▶ line ─▶ Session ─▶ events ─▶ Screen
 *   Ctrl-C: stops the answer ─▶ hangs up ─▶ closes at once
 */
export class Conversation {
  readonly session: Session
  readonly #options: ConversationOptions
  readonly #activity: Activity
  readonly #clock: Clock
  #agent: string
  /** The speech that can be heard, and how many of its characters are on the screen. */
  #speech: { readonly speech: Speech; shown: number } | undefined
  readonly #latencies = new WeakMap<Speech, number>()
  readonly #tools = new Map<string, { readonly input: string; readonly at: number }>()
  readonly #approvals: Approval[] = []
  #stage: 'talks' | 'stopped' | 'hung up' = 'talks'

  constructor(options: ConversationOptions) {
    const { file, models, line, sound, clock = systemClock } = options
    const id = 'terminal'
    const call: CallInfo = { id, line: line.name, direction: 'inbound', parameters: {} }
    const agent = agentFor(file, call)
    this.#options = options
    this.#clock = clock
    this.#agent = agent.name
    this.#activity = new Activity(() => this.#changed())
    this.session = new Session({
      ...(sound ? optionsOf(file, id) : withoutSound(file, id)),
      clock,
      id,
      agent,
      models,
      line,
      intercept: this.#activity.counting((_, run) => run),
    })
    this.#activity.watch(this.session)
    this.#watch()
  }

  /** Whether only the caller, or the person who approves a tool call, can make something happen. */
  get isIdle(): boolean {
    return this.#activity.idle
  }

  /** The tool call that waits for an approval, if there is one. */
  get approval(): string | undefined {
    return this.#approvals[0]?.name
  }

  /** Talks until the call has ended. Rejects if it could not begin. */
  async run(): Promise<SessionReport> {
    const { session } = this
    try {
      await session.start()
    } catch (error) {
      const report = await session.close()
      // Somebody may have hung up meanwhile.
      if (this.#stage !== 'hung up') throw error
      return report
    }
    const report = await session.closed
    await session.afterCall
    return report
  }

  /** The caller goes on: the next Ctrl-C stops the next answer. */
  goesOn(): void {
    if (this.#stage === 'stopped') this.#stage = 'talks'
  }

  /** Decides about the tool call that waits for an approval. */
  decides(approved: boolean): void {
    const approval = this.#approvals.shift()
    if (approval) this.session.approve(approval.id, approved)
  }

  /** Ctrl-C. The first stops the answer, the next hangs up, and the one after that closes at once. */
  interrupt(): void {
    if (this.#stage === 'talks' && !this.isIdle && this.session.state === 'live') {
      this.#stage = 'stopped'
      return this.session.interrupt({ force: true })
    }
    if (this.#stage !== 'hung up') return this.hangUp()
    this.session.close({ closeTimeout: 0 }).catch(noop)
    return undefined
  }

  hangUp(): void {
    this.#stage = 'hung up'
    if (this.session.state === 'live') this.#options.hangUp()
    else this.session.close({ reason: 'caller-hung-up' }).catch(noop)
  }

  /** Shows the words that have been heard since the last time. Without sound, they are read as soon as they are sent. */
  showWords(): void {
    const current = this.#speech
    if (!current) return
    const { speech, shown } = current
    const text = this.#options.sound ? speech.heard : speech.text
    if (text.length <= shown) return
    this.#options.screen.words(this.#agent, text.slice(shown))
    current.shown = text.length
  }

  #watch(): void {
    const { session } = this
    const { screen } = this.#options
    session.on('user', ({ text }) => screen.user(text))
    session.on('speaking', ({ speech }) => {
      this.#speech = { speech, shown: 0 }
      this.showWords()
    })
    session.on('latency', ({ speech, ms }) => this.#latencies.set(speech, ms))
    session.on('spoken', ({ speech, outcome: { how, heard } }) => {
      if (this.#speech?.speech !== speech) return
      if (how === 'played' || this.#options.sound) this.showWords()
      this.#speech = undefined
      const latency = this.#latencies.get(speech)
      screen.said({ agent: this.#agent, text: heard, how, ...(latency === undefined ? {} : { latency }) })
    })
    session.on('tool', ({ id, name, input }) => {
      this.#tools.set(id, { input, at: this.#clock.now() })
      screen.tool(name, input)
    })
    session.on('tool-done', ({ id, name, outcome: { output, failed } }) => {
      const { input = '', at = 0 } = this.#tools.get(id) ?? {}
      this.#tools.delete(id)
      const waiting = this.#approvals.findIndex((each) => each.id === id)
      if (waiting >= 0) this.#approvals.splice(waiting, 1)
      screen.toolDone({ name, input, output, failed, ms: Math.round(this.#clock.now() - at) })
    })
    session.on('approval', ({ id, name, input }) => {
      this.#approvals.push({ id, name })
      screen.note(`may ${name} run? yes or no`, { type: 'approval', name, input })
      this.#changed()
    })
    session.on('handoff', ({ from, to }) => {
      this.#agent = to
      screen.note(`${from} hands over to ${to}`, { type: 'handoff', from, to })
    })
    session.on('guardrail', ({ name, on, verdict }) =>
      screen.note(`guardrail ${name} stops the ${on}: ${verdict}`, { type: 'guardrail', name, on, verdict }),
    )
    session.on('error', ({ where, error }) => {
      // `run` rejects with it.
      if (where === 'start') return
      const { code, message } = describeError(error)
      screen.note(`${where}: ${message}`, { type: 'error', where, error: { code, message } })
    })
  }

  /** Idleness is known once every microtask has run. */
  #changed(): void {
    drain()
      .then(() => this.#options.idle?.())
      .catch(noop)
  }
}

function optionsOf({ session = {} }: AgentFile, id: string): CallOptions {
  return typeof session === 'function' ? session({ id, part: 1 }) : session
}

/** The options without what is for ears: a background, and a recording. */
function withoutSound(file: AgentFile, id: string): CallOptions {
  const { recording, sounds: _sounds, ...options } = optionsOf(file, id)
  // One that was opened for this call.
  if (recording && typeof file.session === 'function') callOut(() => recording.abort(), noop)
  return options
}
