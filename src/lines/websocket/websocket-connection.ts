import { samplesFromBytes, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import type { LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { noop, type Resource, type SocketEnd, type Timer } from '../../scope/index.ts'
import { CallsClosedError } from '../errors.ts'
import type { FarEndEvents } from '../far-end.ts'
import { RateLimit } from '../rate-limit.ts'
import { Watchdog } from '../watchdog.ts'
import { PageMisbehavedError } from './errors.ts'
import { limits } from './limits.ts'
import type { Page } from './page.ts'
import { PlayoutQueue } from './playout-queue.ts'
import {
  closeCodes,
  encodeSound,
  readPageMessage,
  version,
  type PageMessage,
  type Ticket,
} from './protocol.ts'

export interface ConnectionOptions {
  readonly name: string
  readonly call: string
  readonly key: string
  readonly sampleRate: SampleRate
  /** How long a page that was cut off may take to come back (LN1). */
  readonly rejoinTimeout: number
  /** How long a page may give no sign of life (LN2). */
  readonly lostTimeout: number
  /** The call is over. */
  readonly over: () => void
}

/**
 * One call with a page, once it was answered.
 *
 *            hello            ready
 *   joined ─────────▶ here ─────────▶ talking ── hang-up ─────────────▶ over: hungUp
 *      ▲                │                │
 *      │                └──── cut ───────┤                  no sign for lostTimeout
 *      │                                 ▼                          │
 *      └──────── rejoins ───────────── away ── rejoinTimeout ──▶ over: lost
 */
export class WebSocketConnection implements LineConnection, Resource, FarEndEvents {
  readonly #options: ConnectionOptions
  readonly #context: PartContext
  readonly #events: LineEvents
  readonly #page: Page
  readonly #queue: PlayoutQueue
  readonly #budget: RateLimit
  readonly #watchdog: Watchdog
  /** That of the page that confirmed it last. Who comes back with an older one was replaced. */
  #generation = 0
  #talking = false
  /** Nothing more is to be heard. */
  #muted = false
  #over = false
  #told = false
  #end: SocketEnd | undefined
  #rejoins = 0
  #away: Timer | undefined
  #look: Timer | undefined
  #ping: Timer | undefined
  #overflowed = false

  constructor(page: Page, context: PartContext, events: LineEvents, options: ConnectionOptions) {
    const { clock } = context.scope
    this.#page = page
    this.#context = context
    this.#events = events
    this.#options = options
    this.#queue = new PlayoutQueue(options.sampleRate)
    this.#budget = new RateLimit(limits.messages, clock.now())
    this.#watchdog = new Watchdog(context.scope, options.lostTimeout, () => this.#vanished())
    page.listen(this)
    this.joined()
  }

  // ── what a session does ──

  play({ samples }: AudioFrame): void {
    if (this.#muted || this.#over) return
    if (this.#queue.play(samples, this.#now())) return this.#send()
    if (!this.#overflowed) this.#context.logger.warn({ call: this.#options.call }, 'too much sound is queued')
    this.#overflowed = true
  }

  mark(id: number): void {
    if (this.#over) return
    const { at } = this.#queue.mark(id)
    if (this.#talking) this.#page.tell({ type: 'mark', id, at })
  }

  clear(): void {
    if (this.#over) return
    const at = this.#queue.clear()
    this.#lookNoMore()
    if (this.#talking) this.#page.tell({ type: 'clear', at })
  }

  // ── what the scope does ──

  closing(): void {
    this.clear()
    this.#muted = true
    // From here on nothing is sent but the goodbye.
    this.#talking = false
  }

  async close(): Promise<void> {
    // One that is away was cut off before anybody asked.
    if (!this.#over && !this.#page.here) this.#report('dropped')
    if (!this.#over) {
      this.#finish()
      this.#page.tell({ type: 'bye', reason: 'ended' })
      this.#page.close(closeCodes.bye, 'ended').catch(noop)
    }
    await this.#page.ended()
    this.#report('closed')
  }

  abort(): void {
    this.#finish()
    this.#page.abort()
    this.#report('aborted')
  }

  inspect(): object {
    const { call } = this.#options
    const state = this.#over ? 'over' : this.#page.here ? 'here' : 'away'
    const unheard = Math.round(this.#queue.unheard)
    return { call, state, generation: this.#generation, rejoins: this.#rejoins, unheard }
  }

  // ── what the page does ──

  joined(): void {
    const { call, key, sampleRate, rejoinTimeout, lostTimeout } = this.#options
    this.#away?.clear()
    this.#talking = false
    this.#page.tell({
      type: 'hello',
      version,
      call,
      key,
      generation: this.#generation + 1,
      sampleRate,
      rejoinWithin: rejoinTimeout,
      pingEvery: lostTimeout / 4,
    })
    this.#watchdog.start()
    this.#ping?.clear()
    this.#ping = this.#context.scope.every(lostTimeout / 4, 'ping', () => this.#page.tell({ type: 'ping' }))
  }

  message(data: string | Uint8Array): void {
    if (this.#over) return
    this.#watchdog.sign()
    if (!this.#budget.take(this.#now())) return this.#misbehaves('it sends too many messages')
    if (typeof data !== 'string') return this.#sound(data)
    const message = readPageMessage(data)
    if (!message) return this.#misbehaves('it says what this version does not know')
    return this.#said(message)
  }

  left(end: SocketEnd): void {
    this.#end = end
    this.#stopTalking()
    if (this.#over || this.#context.scope.state !== 'live') return
    const { rejoinTimeout } = this.#options
    this.#away = this.#context.scope.after(rejoinTimeout, 'the page may come back', () => this.#lost())
  }

  /** Whether a page may come back with this ticket. */
  welcomes({ key, generation }: Ticket, same: (one: string, other: string) => boolean): Welcome {
    if (this.#over || this.#context.scope.state !== 'live') return 'gone'
    if (!same(key, this.#options.key)) return 'gone'
    return generation === this.#generation || generation === this.#generation + 1 ? 'welcome' : 'replaced'
  }

  /** The server takes no calls any more. */
  cutOff(): void {
    if (this.#over) return
    this.#page.tell({ type: 'bye', reason: 'closing' })
    this.#page.close(closeCodes.bye, 'closing').catch(noop)
    this.#lost(new CallsClosedError(this.#options.call))
  }

  #said(message: PageMessage): void {
    switch (message.type) {
      case 'ready':
        return this.#ready(message)
      case 'played':
        this.#queue.played(message.at)
        return this.#send()
      case 'marked': {
        const mark = this.#queue.marked(message.id, message.heard)
        if (mark) this.#events.marked(message.id, mark.heard)
        return this.#send()
      }
      case 'sound':
        return this.#soundIs(message.on)
      case 'text':
        return this.#events.text(message.text.slice(0, limits.text))
      case 'dtmf':
        return this.#events.dtmf(message.digit)
      case 'pong':
        return undefined
      case 'hang-up':
        return this.#hungUp()
    }
  }

  /** The page has our hello: it is the one, and sound goes on where it is. */
  #ready({ generation, sound, played, buffered }: PageMessage & { type: 'ready' }): void {
    if (this.#talking || generation !== this.#generation + 1)
      return this.#misbehaves('it was not asked for this')
    if (this.#generation > 0) this.#rejoins++
    this.#generation = generation
    if (this.#context.scope.state !== 'live') return
    this.#talking = true
    const place = played === undefined || buffered === undefined ? undefined : { played, buffered }
    const at = this.#queue.joined(place)
    if (at > 0) this.#page.tell({ type: 'clear', at })
    for (const mark of this.#queue.marks) this.#page.tell({ type: 'mark', id: mark.id, at: mark.at })
    this.#soundIs(sound)
  }

  #soundIs(on: boolean): void {
    if (!on) return this.#queue.silent(this.#now())
    const before = this.#queue.cleared
    const at = this.#queue.audible(this.#now())
    if (at > before && this.#talking) this.#page.tell({ type: 'clear', at })
    return this.#send()
  }

  #sound(bytes: Uint8Array): void {
    if (bytes.length % 2 === 1) return this.#misbehaves('its sound is not PCM16')
    const { sampleRate } = this.#options
    if (bytes.length > 0) this.#events.frame({ samples: samplesFromBytes(bytes), sampleRate })
  }

  /** Sends what the page should have by now. Of what waits, a clear has nothing to fetch back. */
  #send(): void {
    if (!this.#talking || this.#over) return
    while (this.#page.buffered <= limits.congested) {
      const piece = this.#queue.next()
      if (!piece) return
      this.#page.send(encodeSound(piece.position, piece.samples))
    }
    this.#look ??= this.#context.scope.after(limits.look, 'the page takes more', () => {
      this.#look = undefined
      this.#send()
    })
  }

  // ── ends ──

  #hungUp(): void {
    const marks = this.#queue.giveUp()
    this.#finish()
    this.#page.tell({ type: 'bye', reason: 'hung-up' })
    this.#page.close(closeCodes.bye, 'hung-up').catch(noop)
    for (const { id, heard } of marks) this.#events.marked(id, heard)
    this.#events.hungUp()
  }

  #misbehaves(what: string): void {
    this.#page.close(closeCodes.misbehaved, 'PAGE_MISBEHAVED').catch(noop)
    this.#lost(new PageMisbehavedError(this.#options.call, what))
  }

  /** No sign of life: there is nobody to say goodbye to. */
  #vanished(): void {
    this.#page.abort()
    this.#lost()
  }

  /** It will not come back. What is not known to have been heard was not. */
  #lost(error?: unknown): void {
    if (this.#over) return
    const marks = this.#queue.giveUp()
    this.#finish()
    this.#report('dropped')
    for (const { id, heard } of marks) this.#events.marked(id, heard)
    this.#events.lost(error)
  }

  #stopTalking(): void {
    this.#talking = false
    this.#watchdog.stop()
    this.#ping?.clear()
    this.#lookNoMore()
  }

  #lookNoMore(): void {
    this.#look?.clear()
    this.#look = undefined
  }

  #finish(): void {
    this.#stopTalking()
    this.#away?.clear()
    if (this.#over) return
    this.#over = true
    this.#options.over()
  }

  /** How it ended stands in the session's report, once. */
  #report(how: 'closed' | 'aborted' | 'dropped'): void {
    if (this.#told) return
    this.#told = true
    const { code, reason } = this.#end ?? {}
    this.#context.ended({
      name: this.#options.name,
      how,
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
      retries: this.#rejoins,
    })
  }

  #now(): number {
    return this.#context.scope.clock.now()
  }
}

/** `gone`: there is no such call, or it is over. `replaced`: another page has joined since. */
export type Welcome = 'welcome' | 'gone' | 'replaced'
