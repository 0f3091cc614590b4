import { wsNetwork } from '../../src/link/index.ts'
import { offer, soundHeader, type LineMessage, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import { systemClock, type Socket, type SocketEnd, type Timer } from '../../src/scope/index.ts'
import { Outages, type Caller } from './caller.ts'

export interface BrowserCallerOptions {
  /** Where the hosts are reached. */
  readonly url: string
  /** Hangs up after this many milliseconds. */
  readonly lifetime: number
  /** What the caller types again and again. Empty for nothing. */
  readonly types?: string
  readonly changed: () => void
}

/** Milliseconds between two attempts to come back. */
const REDIAL = 300
/** Milliseconds between two reports of what was played. */
const PLAY = 200
/** Milliseconds between two texts. */
const TYPE = 1_500

/** A page without a browser: plays sound in real time, types, and comes back when it was cut off. */
export class BrowserCaller implements Caller {
  readonly kind = 'browser'
  id = ''
  answered = false
  over = false
  end = 'browser: not over'
  readonly #options: BrowserCallerOptions
  readonly #outages = new Outages()
  readonly #marks: { readonly id: number; readonly at: number }[] = []
  readonly #timers = new Set<Timer>()
  #socket: Socket | undefined
  #key = ''
  #generation = 0
  #rate = 16_000
  #rejoinWithin = 0
  /** Positions: how far sound has arrived, and how far the caller has heard it. */
  #arrived = 0
  #played = 0
  #playedAt = systemClock.now()
  #marked = 0
  #cutAt: number | undefined
  #leaving = false

  constructor(options: BrowserCallerOptions) {
    this.#options = options
    this.#dial()
    this.#after(options.lifetime, () => this.hangUp())
    this.#after(PLAY, () => this.#play())
    const { types = 'When are you open?' } = options
    if (types !== '') this.#after(TYPE, () => this.#repeat(types))
  }

  get outages(): Outages['list'] {
    return this.#outages.list
  }

  hangUp(): void {
    if (this.over) return
    this.end = 'browser: caller'
    this.#leaving = true
    // A page that is cut off comes back first, so that the host need not wait for it.
    if (this.id === '') this.abort()
    else if (this.#cutAt === undefined) this.#send({ type: 'hang-up' })
  }

  abort(): void {
    this.#end()
    this.#socket?.abort()
  }

  #end(): void {
    this.over = true
    for (const timer of this.#timers) timer.clear()
    this.#options.changed()
  }

  #after(ms: number, run: () => void): void {
    const timer = systemClock.after(ms, 'a page', () => {
      this.#timers.delete(timer)
      if (!this.over) run()
    })
    this.#timers.add(timer)
  }

  type(text: string): void {
    this.#send({ type: 'text', text })
  }

  #repeat(text: string): void {
    this.type(text)
    this.#after(TYPE, () => this.#repeat(text))
  }

  #dial(): void {
    const { url } = this.#options
    const ticket =
      this.id === '' ? undefined : { call: this.id, key: this.#key, generation: this.#generation }
    const socket = wsNetwork.dial(
      {
        name: 'page',
        url: `${url.replace(/^http/, 'ws')}/call`,
        headers: { origin: url },
        protocols: offer({ ticket }),
      },
      {
        opened: () => {},
        message: (data) => {
          if (socket !== this.#socket) return
          if (typeof data === 'string') this.#take(JSON.parse(data) as LineMessage)
          else this.#hear(data)
        },
        ended: (end) => {
          if (socket === this.#socket) this.#left(end)
        },
      },
    )
    this.#socket = socket
  }

  #left({ code = 1006 }: SocketEnd): void {
    if (this.over) return
    const now = systemClock.now()
    // 4503: busy, or a process that serves the call cannot be reached yet.
    const hopeless = this.id === '' || code === 1000 || (code >= 4400 && code < 4500)
    this.#cutAt ??= now
    if (!this.#leaving) this.end = `browser: code ${code}`
    if (hopeless || now - this.#cutAt > this.#rejoinWithin) return this.#end()
    this.#outages.broke(now)
    this.#after(REDIAL, () => this.#dial())
    return this.#options.changed()
  }

  #take(message: LineMessage): void {
    if (message.type === 'hello') this.#greeted(message)
    else if (message.type === 'mark') {
      this.#marks.push(message)
      this.#answerMarks(this.#played)
    } else if (message.type === 'clear') {
      this.#played = Math.max(this.#played, message.at)
      this.#answerMarks(message.at)
    } else if (message.type === 'ping') this.#send({ type: 'pong' })
    else {
      if (!this.#leaving) this.end = `browser: ${message.reason}`
      this.#end()
    }
  }

  #greeted({ call, key, generation, sampleRate, rejoinWithin }: LineMessage & { type: 'hello' }): void {
    const back = this.id === '' ? {} : { played: this.#played, buffered: this.#arrived }
    this.id = call
    this.answered = true
    this.#key = key
    this.#generation = generation
    this.#rate = sampleRate
    this.#rejoinWithin = rejoinWithin
    this.#cutAt = undefined
    // Marks of a process that is gone mean nothing to the next one.
    if (generation === 1) this.#marks.length = 0
    this.#send({ type: 'ready', generation, sound: true, ...back })
    if (this.#leaving) this.#send({ type: 'hang-up' })
    this.#options.changed()
  }

  #hear(data: Uint8Array): void {
    const samples = (data.byteLength - soundHeader) / 2
    this.#arrived = new DataView(data.buffer, data.byteOffset).getFloat64(0, true) + samples
    this.#outages.heard(systemClock.now())
  }

  #play(): void {
    this.#after(PLAY, () => this.#play())
    const now = systemClock.now()
    const due = this.#played + Math.round(((now - this.#playedAt) * this.#rate) / 1_000)
    this.#playedAt = now
    if (this.#arrived <= this.#played) return
    this.#played = Math.min(this.#arrived, due)
    this.#send({ type: 'played', at: this.#played })
    this.#answerMarks(this.#played)
  }

  /** Confirms the marks up to a position: those that were played, or that were cleared. */
  #answerMarks(upTo: number): void {
    while (this.#marks[0] && this.#marks[0].at <= upTo) {
      const { id, at } = this.#marks.shift()!
      const heard = ((Math.min(this.#played, at) - this.#marked) * 1000) / this.#rate
      this.#marked = at
      this.#send({ type: 'marked', id, heard: Math.max(0, heard) })
    }
  }

  #send(message: PageMessage): void {
    if (this.#socket?.state === 'open') this.#socket.send(JSON.stringify(message))
  }
}
