import { RealtimeAgent, RealtimeSession, tool, type RealtimeOutputGuardrail } from '@openai/agents/realtime'
import { TwilioRealtimeTransportLayer } from '@openai/agents-extensions'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { guardOpenAI, outside, type Guard } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, CaseContext } from '../case.ts'
import { ClosedEvents } from '../closed-events.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { summarize } from '../guarded-call.ts'

export interface OpenAIOptions {
  /** What the tool `lookup` does. `signal` is the guard's, because the SDK has none. */
  readonly lookup?: (signal: AbortSignal | undefined) => Promise<string>
  /** What an output guardrail does before it accepts the words. */
  readonly check?: (signal: AbortSignal | undefined) => Promise<unknown>
  readonly instructions?: () => Promise<string>
  /** Whether the call comes from a phone. */
  readonly phone?: boolean
}

/** The URL of the model. */
export const urlOf = ({ ws }: CaseContext): string => `${ws}/v1/realtime?model=gpt-realtime-2.1`

/** A `RealtimeSession` as its users create it. */
export class OpenAISubject {
  readonly context: CaseContext
  readonly session: RealtimeSession
  readonly guard: Guard | undefined
  readonly #closedEvents = new ClosedEvents()

  private constructor(context: CaseContext, options: OpenAIOptions, phone: WebSocket | undefined) {
    this.context = context
    const agent = new RealtimeAgent({
      name: 'desk',
      instructions: options.instructions ?? 'You answer the phone.',
      tools: options.lookup ? [this.#toolOf(options.lookup)] : [],
    })
    this.session = new RealtimeSession(agent, {
      transport: phone ? new TwilioRealtimeTransportLayer({ twilioWebSocket: phone }) : 'websocket',
      tracingDisabled: true,
      outputGuardrails: options.check ? [this.#guardrailOf(options.check)] : [],
      outputGuardrailSettings: { debounceTextLength: 10 },
    })
    if (context.column === 'plain') {
      // The session has no event for its end, only its transport has.
      this.session.transport.on('connection_change', (status) => {
        if (status === 'disconnected') this.#closedEvents.emit()
      })
    } else {
      this.guard = guardOpenAI(this.session, {
        closeTimeout: CLOSE_TIMEOUT,
        connectTimeout: 2_000,
        onLate: noop,
      })
      this.guard.on('closed', this.#closedEvents.emit)
      if (phone) this.guard.adopt(phone)
    }
  }

  static async prepare(context: CaseContext, options: OpenAIOptions = {}): Promise<OpenAISubject> {
    const phone = options.phone ? await ring(context) : undefined
    return new OpenAISubject(context, options, phone)
  }

  /** A session that is connected. */
  static async connected(context: CaseContext, options: OpenAIOptions = {}): Promise<OpenAISubject> {
    const subject = await OpenAISubject.prepare(context, options)
    await subject.connect()
    return subject
  }

  connect(): Promise<void> {
    return this.session.connect({ apiKey: 'key', url: urlOf(this.context) })
  }

  /** Asks the model to reply. */
  ask(): void {
    this.session.sendMessage('Hello.')
  }

  call(more: Partial<Call> = {}): Call {
    return { close: () => this.#close(), onClosed: this.#closedEvents.on, ...more }
  }

  /** A call that is not closed by the app, which does not know that the connection was lost or the phone has hung up. */
  endsByItself(): Call {
    const { guard } = this
    return this.call({ close: () => guard && new Promise((resolve) => guard.on('closed', resolve)) })
  }

  /** A call that is closed while it connects. */
  connecting(): Call {
    const connecting = this.connect().catch(noop)
    return this.call({ close: () => Promise.all([this.#close(), connecting]).then(noop) })
  }

  #close(): unknown {
    return this.guard ? this.guard.close().then(summarize) : this.session.close()
  }

  #toolOf(lookup: NonNullable<OpenAIOptions['lookup']>) {
    return tool({
      name: 'lookup',
      description: 'Looks something up',
      parameters: z.object({}),
      errorFunction: null,
      execute: () => lookup(this.guard?.signal),
    })
  }

  #guardrailOf(check: NonNullable<OpenAIOptions['check']>): RealtimeOutputGuardrail {
    return {
      name: 'check',
      execute: async () => {
        await check(this.guard?.signal)
        return { tripwireTriggered: false, outputInfo: {} }
      },
    }
  }
}

/** The socket of the phone. It is dialled here, so that the far side can count it, and outside of any guard. */
async function ring(context: CaseContext): Promise<WebSocket> {
  const phone = outside(() => new WebSocket(`${context.ws}/phone`))
  await once(phone, 'open')
  return phone
}
