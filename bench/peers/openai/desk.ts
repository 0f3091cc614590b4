import { RealtimeAgent, RealtimeSession, tool, type RealtimeOutputGuardrail } from '@openai/agents/realtime'
import { TwilioRealtimeTransportLayer } from '@openai/agents-extensions'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { guardOpenAI, outside, type Guard } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, Stage } from '../case.ts'
import { Ends } from '../ends.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { told } from '../told.ts'

export interface DeskOptions {
  /** What the tool `lookup` does; `signal` is that of the guard, for the SDK has none. */
  readonly lookup?: (signal: AbortSignal | undefined) => Promise<string>
  /** What an output guardrail does before it lets the words pass. */
  readonly check?: (signal: AbortSignal | undefined) => Promise<unknown>
  readonly instructions?: () => Promise<string>
  /** The call comes from a phone. */
  readonly phone?: boolean
}

/** Where the model is. */
export const urlOf = ({ ws }: Stage): string => `${ws}/v1/realtime?model=gpt-realtime`

/** A `RealtimeSession` as its users make one. */
export class Desk {
  readonly stage: Stage
  readonly session: RealtimeSession
  readonly guard: Guard | undefined
  readonly #ends = new Ends()

  private constructor(stage: Stage, options: DeskOptions, phone: WebSocket | undefined) {
    this.stage = stage
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
    if (stage.column === 'plain') {
      // The session has no event for its end; that of its transport is what there is.
      this.session.transport.on('connection_change', (status) => {
        if (status === 'disconnected') this.#ends.tell()
      })
    } else {
      this.guard = guardOpenAI(this.session, {
        closeTimeout: CLOSE_TIMEOUT,
        connectTimeout: 2_000,
        onLate: noop,
      })
      this.guard.on('closed', this.#ends.tell)
      if (phone) this.guard.adopt(phone)
    }
  }

  static async prepare(stage: Stage, options: DeskOptions = {}): Promise<Desk> {
    const phone = options.phone ? await ring(stage) : undefined
    return new Desk(stage, options, phone)
  }

  /** Connected, and nothing more. */
  static async connected(stage: Stage, options: DeskOptions = {}): Promise<Desk> {
    const desk = await Desk.prepare(stage, options)
    await desk.connect()
    return desk
  }

  connect(): Promise<void> {
    return this.session.connect({ apiKey: 'key', url: urlOf(this.stage) })
  }

  /** The model is asked, and answers. */
  ask(): void {
    this.session.sendMessage('Hello.')
  }

  call(more: Partial<Call> = {}): Call {
    return { close: () => this.#close(), onClosed: this.#ends.listen, ...more }
  }

  /** Nobody asks for the end, for nobody has heard of it: the connection is lost, or the phone has hung up. */
  unasked(): Call {
    const { guard } = this
    return this.call({ close: () => guard && new Promise((resolve) => guard.on('closed', resolve)) })
  }

  /** The close, and the connect that it comes into. */
  connecting(): Call {
    const connecting = this.connect().catch(noop)
    return this.call({ close: () => Promise.all([this.#close(), connecting]).then(noop) })
  }

  #close(): unknown {
    return this.guard ? this.guard.close().then(told) : this.session.close()
  }

  #toolOf(lookup: NonNullable<DeskOptions['lookup']>) {
    return tool({
      name: 'lookup',
      description: 'Looks something up',
      parameters: z.object({}),
      errorFunction: null,
      execute: () => lookup(this.guard?.signal),
    })
  }

  #guardrailOf(check: NonNullable<DeskOptions['check']>): RealtimeOutputGuardrail {
    return {
      name: 'check',
      execute: async () => {
        await check(this.guard?.signal)
        return { tripwireTriggered: false, outputInfo: {} }
      },
    }
  }
}

/** The phone's socket: here it is dialled, so that the far side can count it, and it is nobody's. */
async function ring(stage: Stage): Promise<WebSocket> {
  const phone = outside(() => new WebSocket(`${stage.ws}/phone`))
  await once(phone, 'open')
  return phone
}
