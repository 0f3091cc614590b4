import { FunctionTool, InMemoryRunner, LiveRequestQueue, LlmAgent, type Event } from '@google/adk'
import { Modality } from '@google/genai'
import { z } from 'zod'
import { guardAdk, outside, type GuardedAdk } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, Stage } from '../case.ts'
import { Ends } from '../ends.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { told } from '../told.ts'
import { clientOf, MODEL } from './genai-desk.ts'

export interface AdkOptions {
  /** What the tool `lookup` does; `signal` is that of the run, if it has one, or of the guard. */
  readonly lookup?: (signal: AbortSignal | undefined) => Promise<string>
  /** This model's calls of tools are carried out at once; those of others when a turn is complete. */
  readonly model?: string
  readonly handle?: string
  /** The run is given a signal. */
  readonly abort?: AbortController
  /** What the app does with an event; it leaves the loop if this says so. */
  readonly each?: (event: Event) => 'leave' | undefined
}

type Run = AsyncGenerator<Event, void, undefined>

/** A live run of the ADK as its users make one. */
export class AdkDesk {
  readonly queue: LiveRequestQueue
  /** Resolves with the end of the loop over the events. */
  readonly loop: Promise<void>
  /** Resolves when the model has answered. */
  readonly answered: Promise<void>
  readonly #ends = new Ends()
  readonly #guard: GuardedAdk<Event> | undefined
  #answer: () => void = noop

  private constructor(stage: Stage, run: Run, queue: LiveRequestQueue, { abort, each }: AdkOptions) {
    this.queue = queue
    this.answered = new Promise((resolve) => {
      this.#answer = resolve
    })
    if (stage.column === 'guarded') {
      const options = { queue, closeTimeout: CLOSE_TIMEOUT, onLate: noop }
      this.#guard = guardAdk(run, abort ? { ...options, abort } : options)
      this.#guard.on('closed', this.#ends.tell)
    }
    this.loop = this.#goThrough(this.#guard?.events ?? run, each)
    this.loop.catch(noop)
  }

  static async started(stage: Stage, options: AdkOptions = {}): Promise<AdkDesk> {
    const { model = MODEL, handle, lookup, abort } = options
    const tools = lookup ? [toolOf((signal) => lookup(signal ?? desk.#guard?.signal))] : []
    const { runner, userId, sessionId } = await runnerOf(stage, model, tools)
    const queue = new LiveRequestQueue()
    const run = runner.runLive({
      userId,
      sessionId,
      liveRequestQueue: queue,
      runConfig: { responseModalities: [Modality.AUDIO] },
      ...(abort ? { abortSignal: abort.signal } : {}),
      ...(handle === undefined ? {} : { liveSessionResumptionHandle: handle }),
    })
    const desk = new AdkDesk(stage, run, queue, options)
    return desk
  }

  /** Connected, and the model has answered. */
  static async talking(stage: Stage, options: AdkOptions = {}): Promise<AdkDesk> {
    const desk = await AdkDesk.started(stage, options)
    desk.ask()
    await desk.answered
    return desk
  }

  ask(): void {
    this.queue.sendContent({ role: 'user', parts: [{ text: 'Hello.' }] })
  }

  /** The close as the framework has it: the queue is closed, and the loop comes to its end. */
  call(more: Partial<Call> = {}): Call {
    return { close: () => this.#close(), onClosed: this.#ends.listen, ...more }
  }

  /** Nobody asks: the loop is over, as far as the app knows. */
  left(): Call {
    return this.call({ close: () => this.loop.catch(noop) })
  }

  /** Nobody asks. An error of the loop would say that the run was lost; a guard says that nobody has asked for its end. */
  dropped(): Call {
    const lost = new Ends()
    this.#guard?.on('closed', ({ by }) => by === 'adk' && lost.tell())
    this.loop.catch(lost.tell)
    return { close: () => this.loop.catch(noop), onClosed: lost.listen }
  }

  async #close(): Promise<unknown> {
    if (!this.#guard) this.queue.close()
    const report = await this.#guard?.close()
    await this.loop
    return report && told(report)
  }

  async #goThrough(events: AsyncIterable<Event>, each: AdkOptions['each']): Promise<void> {
    try {
      for await (const event of events) {
        this.#answer()
        if (each?.(event) === 'leave') break
      }
    } finally {
      if (!this.#guard) this.#ends.tell()
    }
  }
}

/** An agent that is ready to be run, on the far side. */
export async function runnerOf(stage: Stage, model = MODEL, tools: FunctionTool[] = []) {
  process.env['GOOGLE_GEMINI_BASE_URL'] = stage.http
  process.env['GOOGLE_API_KEY'] = 'key'
  const agent = new LlmAgent({ name: 'desk', model, instruction: 'You answer the phone.', tools })
  const runner = new InMemoryRunner({ agent, appName: 'desk' })
  const userId = 'caller'
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'desk', userId })
  return { runner, userId, sessionId }
}

/** A handle of a conversation that was held before: without one, a run does not connect again. */
export function handleOf(stage: Stage): Promise<string> {
  return outside(async () => {
    let give: (handle: string) => void = noop
    let end: () => void = noop
    const given = new Promise<string>((resolve) => {
      give = resolve
    })
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const session = await clientOf(stage).live.connect({
      model: MODEL,
      config: { responseModalities: [Modality.AUDIO], sessionResumption: {} },
      callbacks: {
        onmessage: ({ sessionResumptionUpdate }) => {
          if (sessionResumptionUpdate?.newHandle) give(sessionResumptionUpdate.newHandle)
        },
        onclose: () => end(),
      },
    })
    await stage.far({ do: 'vendor', order: 'offer a handle' })
    const handle = await given
    session.close()
    await ended
    return handle
  })
}

function toolOf(lookup: NonNullable<AdkOptions['lookup']>): FunctionTool {
  return new FunctionTool({
    name: 'lookup',
    description: 'Looks something up',
    parameters: z.object({}),
    execute: (_, context) => lookup(context?.abortSignal),
  })
}
