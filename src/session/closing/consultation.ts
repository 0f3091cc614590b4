import type { Line } from '../../parts/index.ts'
import { OptionError, noop } from '../../scope/index.ts'
import { Agent, isAgent, type HookContext, type SessionHandle } from '../answering/agent.ts'
import { tool, type Tool } from '../answering/tool.ts'
import type { SessionContext } from '../context.ts'
import { ConsultationError } from '../errors.ts'
import type { History } from '../history/history.ts'
import { limits } from '../limits.ts'
import type { SessionOptions } from '../settings.ts'
import type { TransferOptions } from './asks.ts'
import { failures } from './close-reason.ts'
import type { ConsultationReport, SessionReport } from './report.ts'

/** Makes a session. `Session` passes it, because the two would import each other. */
export type NewSession = (options: SessionOptions) => SessionHandle & { start(): Promise<void> }

type Decision = 'join' | 'decline'

/** Throws if the options of a warm transfer make no sense. */
export function checkConsultation({
  how = 'cold',
  agent,
  consultTimeout = 1,
  summary,
}: TransferOptions): void {
  if (how !== 'cold' && how !== 'warm')
    throw new OptionError(`transfer: how must be 'cold' or 'warm'; it is '${String(how)}'`)
  if (agent !== undefined && !isAgent(agent))
    throw new OptionError('transfer: agent must be an Agent: make it with new Agent({ instructions: … })')
  if (summary !== undefined && typeof summary !== 'string')
    throw new OptionError('transfer: summary must be a text')
  if (!(consultTimeout > 0 && consultTimeout <= limits.longestConsultation))
    throw new OptionError(
      `transfer: consultTimeout must be from 1 to ${limits.longestConsultation} ms; it is ${consultTimeout}`,
    )
}

/**
 * The conversation with the person to whom a caller is handed over (TR4). It is a session of its own, with the models of the
 * caller's session, which owns it: closing the caller's session closes it, too.
 *
 *   line of the person ─▶ child session ─▶ accept_call ─▶ join: the line takes the person away ─▶ end()
 *                                      ├─▶ decline_call ─▶ decline
 *                                      └─▶ hung up, too long, failed
 */
export class Consultation {
  /** Called with the report, before the caller's session has closed. */
  onReport: (report: ConsultationReport) => void = noop
  readonly longest: number
  readonly #context: SessionContext
  readonly #newSession: NewSession
  readonly #options: TransferOptions
  /** The agent that the caller talks to. */
  readonly #current: Agent
  #session: SessionHandle | undefined
  #hasEnded = false

  constructor(context: SessionContext, newSession: NewSession, options: TransferOptions, current: Agent) {
    this.#context = context
    this.#current = current
    this.#newSession = newSession
    this.#options = options
    this.longest = options.consultTimeout ?? limits.consultation
  }

  /** Talks to the person. Resolves when the person has decided; rejects if the conversation failed. */
  readonly talk = async (line: Line): Promise<Decision> => {
    if (this.#hasEnded || this.#session || !this.#context.isOpen) return 'decline'
    let accept: () => void = noop
    const accepted = new Promise<Decision>((resolve) => {
      accept = () => resolve('join')
    })
    const session = this.#newSession(this.#settings(line, this.#agent(accept)))
    this.#session = session
    const ended = this.#own(session)
    // Its report says why it failed.
    session.start().catch(noop)
    return await new Promise<Decision>((resolve, reject) => {
      accepted.then(resolve, reject)
      ended.then(() => resolve('decline'), reject)
    })
  }

  /** The transfer has its outcome: ends the conversation, if the person is still there. */
  end(joined: boolean): void {
    this.#hasEnded = true
    this.#session?.close({ reason: joined ? 'transferred' : 'requested', by: 'transfer' }).catch(noop)
  }

  /** Ties the conversation to the caller's session, until it has closed. Rejects if it failed. */
  async #own(session: SessionHandle): Promise<void> {
    const task = this.#context.scope.spawn('consultation', async ({ onCancel }) => {
      onCancel(() => this.end(false))
      const closed = await session.closed
      this.#reported(closed)
      return closed
    })
    const report = await task.result
    if (failures.has(report.reason)) throw new ConsultationError(report.reason, report.error?.message)
  }

  #reported({ id, reason, lived, clean, errors, transcript, usage }: SessionReport): void {
    this.onReport(Object.freeze({ id, reason, lived, clean, errors, transcript }))
    for (const [name, used] of Object.entries(usage.models)) this.#context.book.used(used, name)
    if (this.#context.isOpen) this.#context.spent()
  }

  #settings(line: Line, agent: Agent): SessionOptions {
    const { settings } = this.#context
    const { models, clock, random, network, logger, closeTimeout, startTimeout, apology } = settings
    const { stallTimeout, playoutTimeout, hookTimeout, answerTimeout, maxFailures, maxToolSteps } = settings
    const { idle: _, wordless: __, ...turns } = settings.turns
    return {
      agent,
      models,
      line,
      id: (line as Line & { readonly id?: string }).id ?? `${settings.id}-consultation`,
      turns,
      maxDuration: this.longest,
      // Within the time of the caller's session, which waits for it.
      closeTimeout: closeTimeout * 0.7,
      startTimeout,
      stallTimeout,
      playoutTimeout,
      hookTimeout,
      answerTimeout,
      maxFailures,
      maxToolSteps,
      apology,
      clock,
      random,
      network,
      logger,
    }
  }

  #agent(accept: () => void): Agent {
    const { agent, summary } = this.#options
    const begin = ({ session }: HookContext): unknown =>
      summary === undefined
        ? session.reply({
            instructions: 'Say who is calling and why, and ask whether your colleague takes the call.',
          })
        : session.say(summary)
    const own = agent === undefined ? undefined : (agent as Agent)
    if (!own) return new Agent({ ...this.#colleague(), tools: decisions(accept), onEnter: begin })
    const { llm, tts, prices, onResume, onExit, onTurn, onMessage, ...rest } = own
    const optional = { llm, tts, prices, onResume, onExit, onTurn, onMessage }
    const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
    return new Agent({
      ...rest,
      ...given,
      tools: { ...decisions(accept), ...own.tools },
      onEnter: own.onEnter ?? begin,
    })
  }

  #colleague(): { name: string; instructions: string } {
    const { name, instructions } = this.#current
    const said = conversation(this.#context.history)
    return { name, instructions: `${handingOver}\n\n${instructions}\n\nThe call so far:\n${said}` }
  }
}

const handingOver =
  'You have called a colleague, to hand over a caller who waits and cannot hear you. Say in one or two sentences who is calling ' +
  'and why, and ask whether your colleague takes the call now. If so, use accept_call. If not, or if a machine answers, use ' +
  'decline_call. All that you know is below: your instructions for the call, and what was said in it.'

/** The tools with which the person decides. */
function decisions(accept: () => void): Record<string, Tool> {
  return {
    accept_call: tool({
      description:
        'Connects your colleague to the caller. Use it once your colleague has agreed to take the call.',
      timeout: limits.longestConsultation,
      run: async (_, { waitForPlayout, ifCancelled, signal }) => {
        await waitForPlayout()
        ifCancelled('connected')
        accept()
        // The model has nothing more to say: the line takes the person away.
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }),
    decline_call: tool({
      description:
        'Ends this call. Use it if your colleague does not take the call, or if a machine answers. Say goodbye first.',
      run: (_, { hangUp }) => hangUp(),
    }),
  }
}

/** What was said, as text for a model: the end of it, if it is long. */
function conversation({ items }: History): string {
  const lines = items.flatMap((item) =>
    item.type === 'message' ? [`${item.role === 'user' ? 'Caller' : 'You'}: ${item.text}`] : [],
  )
  return lines.join('\n').slice(-limits.consultationText)
}
