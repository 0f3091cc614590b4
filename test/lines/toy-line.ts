import { SendWindow, pcm, type SoundClear, type SoundMark, type SoundPiece } from '../../src/audio/index.ts'
import { BaseCall } from '../../src/lines/base-call.ts'
import type { CallOptions, Farewell } from '../../src/lines/call-options.ts'
import { BaseCalls, type BaseCallsOptions } from '../../src/lines/base-calls.ts'
import { BaseLine } from '../../src/lines/base-line.ts'
import { deafOwner, type Peer, type PeerEnd, type PeerOwner } from '../../src/lines/peer.ts'

type Outgoing = SoundPiece | SoundMark | SoundClear

export type ToyOptions = Partial<Omit<CallOptions, 'id' | 'calls'>> & {
  /** What `confirmEnd` resolves to. Unset: the toy cannot confirm. */
  readonly confirms?: boolean
  /** Whether the line asks for signs of life. */
  readonly pings?: boolean
}

/** The least that a line has to write: its wire and its playout. The wire is plain text, and not a WebSocket. */
export class ToyCall extends BaseCall<Outgoing> {
  protected readonly playout = new SendWindow<Int16Array>({
    samples: Int16Array,
    sampleRate: 8_000,
    ahead: 1_000,
    piece: 100,
    queued: 10_000,
    marks: 10,
  })
  protected readonly replaced = { code: 1, reason: 'replaced' }
  protected override readonly confirmEnd?: () => Promise<boolean>
  protected override readonly ping?: (peer: Peer) => void

  constructor(calls: ToyCalls, id: string, { confirms, pings, ...options }: ToyOptions = {}) {
    super({
      id,
      calls,
      name: 'toy',
      answerTimeout: 30_000,
      rejoinTimeout: 5_000,
      lostTimeout: 10_000,
      messages: { perSecond: 10, burst: 20 },
      resendEvery: 20,
      ...options,
    })
    if (confirms !== undefined) this.confirmEnd = () => Promise.resolve(confirms)
    if (pings) this.ping = (peer) => peer.send('ping')
  }

  protected greet(peer: Peer): void {
    peer.send('hello')
    this.completeHandshake(peer)
  }

  completeHandshake(peer: Peer): void {
    this.peer = peer
    this.ready()
    if (this.generation > 1) this.playout.restart()
    this.send()
  }

  protected receive(data: string | Uint8Array): void {
    this.watchdog.lastSign = this.now()
    const [word = '', value] = String(data).split(' ')
    if (word === 'played') this.playout.confirm(Number(value))
    else if (word === 'bye') this.hungUp()
    else if (word === 'text') this.events?.text(String(value))
    else this.misbehaved('it says something else')
    this.send()
  }

  protected transmit(peer: Peer, outgoing: Outgoing): void {
    if ('samples' in outgoing) peer.send(`sound ${outgoing.position}`)
    else if ('clearTo' in outgoing) peer.send(`clear ${outgoing.clearTo}`)
    else peer.send(`mark ${outgoing.id}`)
  }

  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    peer.send(`bye ${farewell}`)
    peer.close(0, farewell)
  }

  protected misbehaviour(what: string): Error {
    return new Error(what)
  }
}

class ToyLine extends BaseLine {
  readonly name = 'toy'
  readonly hears = pcm(8_000)
  readonly speaks = pcm(8_000)
}

export class ToyCalls extends BaseCalls<ToyCall> {
  constructor(options: Pick<BaseCallsOptions, 'scope' | 'maxCalls' | 'maxRate' | 'logger'>) {
    super({ ...options, name: 'toy calls', closePatience: 1_000 })
  }

  /** A call comes, unless it is refused. */
  call(
    id: string,
    { peer, onCall, options }: { peer?: ToyPeer; onCall: (line: ToyLine) => unknown; options?: ToyOptions },
  ): ToyCall | string {
    const refusal = this.refusal()
    if (refusal) return refusal
    const call = new ToyCall(this, id, options)
    if (peer) call.join(peer)
    this.begin(call, () => onCall(new ToyLine(call, 1_000)))
    return call
  }
}

/** A peer that a test controls. */
export class ToyPeer implements Peer {
  owner: PeerOwner = deafOwner(() => {})
  readonly received: string[] = []
  /** What was sent after it was closed. */
  readonly late: string[] = []
  buffered = 0
  state: 'open' | 'closing' | 'aborted' | 'left' = 'open'
  /** Whether it answers when it is closed. */
  readonly #polite: boolean

  constructor({ polite = true } = {}) {
    this.#polite = polite
  }

  send(data: string): void {
    if (this.state === 'open') this.received.push(data)
    else this.late.push(data)
  }

  says(message: string): void {
    this.owner.message(message)
  }

  ping(): void {
    queueMicrotask(() => this.owner.controlFrame())
  }

  close(_code: number, reason: string): void {
    if (this.state !== 'open') return
    this.state = 'closing'
    if (this.#polite) queueMicrotask(() => this.leaves({ how: 'closed', reason }))
  }

  abort(): void {
    if (this.state === 'aborted' || this.state === 'left') return
    this.state = 'aborted'
    queueMicrotask(() => this.owner.left({ how: 'aborted' }))
  }

  leaves(end: PeerEnd = { how: 'dropped', code: 1006 }): void {
    if (this.state === 'aborted' || this.state === 'left') return
    this.state = 'left'
    this.owner.left(end)
  }
}
