import { FunctionTool, InMemoryRunner, LiveRequestQueue, LlmAgent, type Event } from '@google/adk'
import { Modality } from '@google/genai'
import { z } from 'zod'
import { guardAdk, outside, type GuardedAdk } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, CaseContext } from '../case.ts'
import { ClosedEvents } from '../closed-events.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { summarize } from '../guarded-call.ts'
import { clientOf, MODEL } from './genai-subject.ts'

export interface AdkOptions {
  /** What the tool `lookup` does. `signal` is the run's signal or, if it has none, the guard's. */
  readonly lookup?: (signal: AbortSignal | undefined) => Promise<string>
  readonly model?: string
  readonly handle?: string
  /** The abort controller of the run, if it has one. */
  readonly abort?: AbortController
  /** What the app does with an event. `leave` leaves the loop. */
  readonly each?: (event: Event) => 'leave' | undefined
}

type Run = AsyncGenerator<Event, void, undefined>

/** A live run of the ADK as its users create it. */
export class AdkSubject {
  readonly queue: LiveRequestQueue
  /** Resolves when the loop over the events has ended. */
  readonly loop: Promise<void>
  /** Resolves when the model has answered. */
  readonly answered: Promise<void>
  readonly #closedEvents = new ClosedEvents()
  readonly #guard: GuardedAdk<Event> | undefined
  #answer: () => void = noop

  private constructor(context: CaseContext, run: Run, queue: LiveRequestQueue, { abort, each }: AdkOptions) {
    this.queue = queue
    this.answered = new Promise((resolve) => {
      this.#answer = resolve
    })
    if (context.column === 'guarded') {
      const options = { queue, closeTimeout: CLOSE_TIMEOUT, onLate: noop }
      this.#guard = guardAdk(run, abort ? { ...options, abort } : options)
      this.#guard.on('closed', this.#closedEvents.emit)
    }
    this.loop = this.#read(this.#guard?.events ?? run, each)
    this.loop.catch(noop)
  }

  static async started(context: CaseContext, options: AdkOptions = {}): Promise<AdkSubject> {
    const { model = MODEL, handle, lookup, abort } = options
    const tools = lookup ? [toolOf((signal) => lookup(signal ?? subject.#guard?.signal))] : []
    const { runner, userId, sessionId } = await runnerOf(context, model, tools)
    const queue = new LiveRequestQueue()
    const run = runner.runLive({
      userId,
      sessionId,
      liveRequestQueue: queue,
      runConfig: { responseModalities: [Modality.AUDIO] },
      ...(abort ? { abortSignal: abort.signal } : {}),
      ...(handle === undefined ? {} : { liveSessionResumptionHandle: handle }),
    })
    const subject = new AdkSubject(context, run, queue, options)
    return subject
  }

  /** A run in which the model has answered. */
  static async talking(context: CaseContext, options: AdkOptions = {}): Promise<AdkSubject> {
    const subject = await AdkSubject.started(context, options)
    subject.ask()
    await subject.answered
    return subject
  }

  ask(): void {
    this.queue.sendContent({ role: 'user', parts: [{ text: 'Hello.' }] })
  }

  /** Closes as in the framework: closes the queue, and waits for the end of the loop. */
  call(more: Partial<Call> = {}): Call {
    return { close: () => this.#close(), onClosed: this.#closedEvents.on, ...more }
  }

  /** A call that the app does not close, because it has left the loop. */
  left(): Call {
    return this.call({ close: () => this.loop.catch(noop) })
  }

  /** A call that was dropped. An error in the loop would report that, and so does a guard that was not closed by the app. */
  dropped(): Call {
    const lost = new ClosedEvents()
    this.#guard?.on('closed', ({ by }) => by === 'adk' && lost.emit())
    this.loop.catch(lost.emit)
    return { close: () => this.loop.catch(noop), onClosed: lost.on }
  }

  async #close(): Promise<unknown> {
    if (!this.#guard) this.queue.close()
    const report = await this.#guard?.close()
    await this.loop
    return report && summarize(report)
  }

  async #read(events: AsyncIterable<Event>, each: AdkOptions['each']): Promise<void> {
    try {
      for await (const event of events) {
        this.#answer()
        if (each?.(event) === 'leave') break
      }
    } finally {
      if (!this.#guard) this.#closedEvents.emit()
    }
  }
}

/** A runner whose model is at the far side. */
export async function runnerOf(context: CaseContext, model = MODEL, tools: FunctionTool[] = []) {
  process.env['GOOGLE_GEMINI_BASE_URL'] = context.http
  process.env['GOOGLE_API_KEY'] = 'key'
  const agent = new LlmAgent({ name: 'desk', model, instruction: 'You answer the phone.', tools })
  const runner = new InMemoryRunner({ agent, appName: 'desk' })
  const userId = 'caller'
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'desk', userId })
  return { runner, userId, sessionId }
}

/** The handle of an earlier conversation. Without a handle, a run does not connect again. */
export function handleOf(context: CaseContext): Promise<string> {
  return outside(async () => {
    let give: (handle: string) => void = noop
    let end: () => void = noop
    const given = new Promise<string>((resolve) => {
      give = resolve
    })
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const session = await clientOf(context).live.connect({
      model: MODEL,
      config: { responseModalities: [Modality.AUDIO], sessionResumption: {} },
      callbacks: {
        onmessage: ({ sessionResumptionUpdate }) => {
          if (sessionResumptionUpdate?.newHandle) give(sessionResumptionUpdate.newHandle)
        },
        onclose: () => end(),
      },
    })
    await context.far({ do: 'vendor', order: 'offer a handle' })
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
