import { pcm } from '../../../src/audio/index.ts'
import {
  type Llm,
  type LlmChunk,
  type PartContext,
  type Realtime,
  type RealtimeModel,
  type Stt,
} from '../../../src/parts/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { World } from '../../../src/testing/index.ts'
import type { Ask, Round, VendorHealthChecker } from './vendor-health-checker.ts'

/** What the world keeps about one call. */
export interface SimCall {
  readonly name: string
  round: Round
  /** How many instances of models are open in it. */
  live: number
  isOver: boolean
}

/** - `breaks`: begins to answer, and fails then. */
export type Mood = 'up' | 'refuses' | 'fails' | 'breaks' | 'hangs'

/** An open connection to a vendor that streams. */
interface Connection {
  readonly call: SimCall
  readonly ask: Ask
  readonly alive: () => void
  readonly failed: (error: Error) => void
}

/** A vendor with a model of each kind, whose mood changes. It knows which call asks by the logger. */
export class SimVendor {
  mood: Mood = 'up'
  readonly name: string
  readonly #index: number
  readonly #world: World
  readonly #checker: VendorHealthChecker
  readonly #callOf: (context: PartContext) => SimCall
  readonly #connections = new Set<Connection>()

  constructor(
    index: number,
    world: World,
    checker: VendorHealthChecker,
    callOf: (context: PartContext) => SimCall,
  ) {
    this.name = `vendor ${index}`
    this.#index = index
    this.#world = world
    this.#checker = checker
    this.#callOf = callOf
  }

  get llm(): Llm {
    return {
      name: this.name,
      open: async (context) => {
        const call = this.#callOf(context)
        await this.#open(context, call, this.#ask(call))
        return { generate: (_, signal) => this.#generate(call, signal) }
      },
    }
  }

  get stt(): Stt {
    return {
      name: this.name,
      hears: [pcm(16_000)],
      open: async (context, events) => {
        await this.#connect(
          context,
          () => events.interim('…'),
          (error) => events.failed(error),
        )
        return { push: noop, flush: noop, configure: noop, detach: noop }
      },
    }
  }

  get realtime(): Realtime {
    return {
      name: this.name,
      hears: [pcm(16_000)],
      speaks: [pcm(16_000)],
      open: async (context, _, events) => {
        await this.#connect(
          context,
          () => events.userStarted(),
          (error) => events.failed(error),
        )
        const model: RealtimeModel = {
          push: noop,
          commit: noop,
          respond: noop,
          addText: noop,
          toolResult: noop,
          interrupt: noop,
          update: noop,
        }
        return model
      },
    }
  }

  /** The vendor does something on each connection that works. */
  speaks(): void {
    for (const { call, ask, alive } of this.#connections) {
      if (ask.ended) continue
      this.#checker.worked(ask)
      call.round = { asks: new Map(), opensOnly: false }
      if (call.live !== 1)
        this.#world.violate('FB5', `${call.name} has ${call.live} models open, and uses one`)
      alive()
    }
  }

  /** The vendor loses some of its connections. */
  loses(): void {
    for (const connection of this.#connections) if (this.#world.random.chance(0.6)) this.#lose(connection)
  }

  #lose(connection: Connection): void {
    const { call, ask, failed } = connection
    if (ask.ended || call.isOver) return
    this.#connections.delete(connection)
    this.#world.tell(`${this.name} loses ${call.name}`)
    // The call is between two models: it may have to ask this one again.
    this.#checker.failed(ask)
    call.round.asks.set(this.#index, ask)
    failed(new Error('lost'))
  }

  #ask(call: SimCall): Ask {
    const known = call.round.asks.get(this.#index)
    if (known) return known
    this.#world.tell(`${call.name} asks ${this.name}, which ${this.mood}`)
    return this.#checker.asked(this.#index, call.round)
  }

  /** Opens an instance, or fails to. */
  async #open(context: PartContext, call: SimCall, ask: Ask): Promise<void> {
    const { clock, random } = this.#world
    const { mood } = this
    const { round } = call
    if (mood === 'hangs') return this.#hang(context.scope.signal, call, ask)
    await clock.elapse(random.next() * 100, `${this.name} opens`)
    if (mood === 'refuses') {
      if (!call.isOver && !round.isCancelled) this.#checker.failed(ask)
      throw new Error('refused')
    }
    const end = (): void => void call.live--
    call.live++
    context.scope.own(this.name, { close: end, abort: end })
  }

  /** Never answers. The call gives up on it, unless it ends. */
  #hang(signal: AbortSignal, call: SimCall, ask: Ask): Promise<never> {
    const { round } = call
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        if (!call.isOver && !round.isCancelled) this.#checker.failed(ask)
        reject(new Error('gave up'))
      }),
    )
  }

  async *#generate(call: SimCall, signal: AbortSignal): AsyncGenerator<LlmChunk> {
    const { clock, random } = this.#world
    const { mood } = this
    const ask = this.#ask(call)
    const gaveUp = (): void => {
      const { code } = (signal.reason ?? {}) as { code?: string }
      if (code === 'PART_TIMEOUT') this.#checker.failed(ask)
    }
    signal.addEventListener('abort', gaveUp)
    await clock.elapse(random.next() * 300, `${this.name} thinks`)
    if (signal.aborted) return
    if (mood === 'fails' || mood === 'refuses') {
      this.#checker.failed(ask)
      throw new Error('failed')
    }
    if (mood === 'hangs') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (signal.aborted) return
    this.#checker.worked(ask)
    yield { type: 'text', text: 'Yes.' }
    if (mood !== 'breaks' || signal.aborted) return
    this.#checker.failed(ask)
    throw new Error('broke')
  }

  async #connect(context: PartContext, alive: () => void, failed: (error: unknown) => void): Promise<void> {
    const { clock, random } = this.#world
    const call = this.#callOf(context)
    const ask = this.#ask(call)
    await this.#open(context, call, ask)
    const connection: Connection = { call, ask, alive, failed }
    this.#connections.add(connection)
    context.scope.signal.addEventListener('abort', () => this.#connections.delete(connection))
    if (this.mood === 'fails' || this.mood === 'breaks')
      clock.happen(random.next() * 400, `${this.name} breaks`, () => this.#lose(connection))
  }
}
