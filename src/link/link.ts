import {
  callOut,
  describeError,
  EndwellError,
  MachineShell,
  ScopeClosedError,
  type CancelledError,
  type Network,
  type TimerCommand,
  type Timers,
} from '../scope/index.ts'
import { reportConnection } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import { LinkError } from './link-error.ts'
import type { ClosedCommand, LinkCommand, LinkEvent } from './link-events.ts'
import { LinkMachine } from './link-machine.ts'
import { settle } from './link-settings.ts'
import type { LinkStatus } from './link-status.ts'
import { LiveConnection, plainReason, type ConnectionEvent, type ConnectionHost } from './live-connection.ts'
import { Outbox } from './outbox.ts'
import { PeerWatch } from './peer-watch.ts'
import { ProtocolEdge } from './protocol-edge.ts'
import type { Data, InboundLimits, LinkContext, LinkRequest, Protocol } from './protocol.ts'
import { credentialsOf } from './redact.ts'
import { requestProblem } from './request-problem.ts'

/**
 * One supervised connection to a provider, kept up across drops, idle ends and session limits until its scope closes.
 *
 *            ┌────────────── Protocol: the provider's code ──────────────┐
 *            │ request   opened   message   classify   ending   failed   │
 *            └────▲─────────▲────────▲─────────▲─────────▲────────▲──────┘
 *                 │         │   ProtocolEdge   │         │        │
 *   send ──▶      │         │        │         │         │        │
 *   sendAudio ──▶ Link: Outbox, timers, sockets ◀──▶ LinkMachine: decides what happens next
 *                 │
 *            Network: one socket at a time, two during a rollover
 *
 * The scope in which a link is opened owns it. When the scope begins to close, the link loses its network first, so that
 * it cannot dial. Then follow the protocol's ending frames, their acknowledgement, the close frame, and if that goes
 * unanswered the cut; each step is bounded.
 *
 * ```ts
 * const link = await Link.open(context, protocol)
 * link.sendAudio(frame)
 * link.send(JSON.stringify({ type: 'Finalize' }))
 * ```
 */
export class Link {
  readonly name: string
  readonly #machine: LinkMachine
  readonly #outbox: Outbox
  readonly #watch: PeerWatch
  readonly #inbound: InboundLimits
  readonly #connections = new Map<number, LiveConnection>()
  readonly #shell: MachineShell<LinkEvent, LinkCommand>
  /** Released at the end, like the protocol, so that a reference to a closed link keeps nothing else alive. */
  #context: LinkContext | undefined
  #protocol: ProtocolEdge | undefined
  /** Unset as soon as the scope begins to close: without it the link cannot dial (LK1). */
  #network: Network | undefined
  #current: LiveConnection | undefined
  /** Settles `Link.open`. */
  #opening: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  #closeReason: CancelledError | undefined
  #resolveClose: (() => void) | undefined
  /** What the protocol's code threw. */
  #thrown: unknown

  private constructor(context: LinkContext, protocol: Protocol) {
    this.name = protocol.name
    this.#inbound = protocol.inbound ?? {}
    this.#context = context
    this.#protocol = new ProtocolEdge(protocol, context.logger, (error) => this.#broken(error))
    this.#network = context.network
    const { clock } = context.scope
    const settings = settle(protocol)
    this.#machine = new LinkMachine(settings)
    // The clock's timers, not the scope's: a link still needs timers while its scope closes.
    const timers: Timers = { clock, after: (ms, name, callback) => clock.after(ms, name, callback) }
    this.#shell = new MachineShell(this.#machine, timers, {
      name: `link '${protocol.name}'`,
      carryOut: (command) => this.#carryOut(command),
      timerEvent: (timer, due) => ({ type: 'timer', timer, due, jitter: this.#jitter }),
    })
    this.#outbox = new Outbox(clock, protocol, {
      overflow: () => this.#shell.handle({ type: 'overflow' }),
      keepAlive: (connection) => this.#protocol?.keepAlive(connection),
    })
    this.#watch = new PeerWatch(clock, protocol.name, settings, (reason, silentFor) => {
      if (this.#current) this.#ended(this.#current, { class: 'dropped', reason }, true, silentFor)
    })
  }

  /**
   * Opens a link that `context.scope` owns. Resolves when the first connection is ready. Rejects with `LinkError` if
   * none can be made, and with `ScopeClosedError` if the scope closes first (LK5).
   */
  static async open(context: LinkContext, protocol: Protocol): Promise<Link> {
    const link = new Link(context, protocol)
    context.scope.own(link.name, link, {
      closing: (_, reason) => link.#beginClosing(reason),
      close: () => link.#close(),
      abort: () => link.#abort(),
      inspect: () => link.status,
    })
    await new Promise<void>((resolve, reject) => {
      link.#opening = { resolve, reject }
      link.#shell.handle({ type: 'start' })
    })
    return link
  }

  get status(): LinkStatus {
    const { generation, retries, failures, last } = this.#machine.state
    return {
      phase: this.#machine.phase,
      generation,
      retries,
      failures,
      queued: this.#outbox.queued,
      droppedAudio: this.#outbox.dropped,
      ...(last ? { last } : {}),
    }
  }

  // ── sending ──

  /**
   * Sends text or a control message. It is never dropped: it is queued until there is a connection, and wakes a sleeping
   * link. A full queue fails the link. Does nothing once the link is closing. The bytes must not be changed afterwards.
   */
  send(data: Data): void {
    this.#outbox.send(data)
    this.wake()
  }

  /**
   * Sends audio. If there is no connection, it is queued; a full queue drops the oldest audio. Audio does not wake a
   * sleeping link, because it may be silence: call `wake()` for speech. Otherwise like `send`.
   */
  sendAudio(data: Data): void {
    this.#outbox.sendAudio(data)
  }

  /**
   * The peer owes a message: for a question it was sent, for audio in which someone speaks. Any message counts. If none
   * arrives within `timing.answer`, the connection is dropped, even if the peer still answers pings (LK11).
   */
  expectAnswer(): void {
    if (!this.#isClosing) this.#watch.expectAnswer()
  }

  /** The peer owes no message any more: what it was asked needs no answer, or has been given up. */
  expectNothing(): void {
    this.#watch.expectNothing()
  }

  /** Makes a sleeping link connect, because there is speech. */
  wake(): void {
    if (this.#machine.state.idle) this.#shell.handle({ type: 'wake' })
  }

  /** Moves to a new connection after `after` milliseconds. Default: 0. */
  rollOver(after = 0): void {
    this.#current?.rollOver(after)
  }

  // ── connections ──

  /** One for all connections. */
  readonly #connectionHost: ConnectionHost = (connection, event) => this.#connectionEvent(connection, event)

  #connectionEvent(connection: LiveConnection, event: ConnectionEvent): void {
    const { generation } = connection
    switch (event.type) {
      case 'message':
        return this.#message(connection, event.data)
      case 'alive':
        return connection === this.#current ? this.#watch.alive() : undefined
      case 'opened':
        this.#shell.handle({ type: 'opened', generation })
        return this.#protocol?.opened(connection)
      case 'ready':
        return this.#shell.handle({ type: 'ready', generation })
      case 'roll-over':
        return this.#shell.handle({ type: 'roll-over', generation, after: event.after })
      case 'flooded':
        return this.#flooded(connection)
      case 'end-announced':
        return this.#ended(connection, event.end, true)
      case 'ended': {
        // The machine already knows about a connection that it cut.
        if (!this.#connections.delete(generation)) return undefined
        const { how: _, ...rest } = event.end
        const as = this.#isClosing ? 'asked' : this.#protocol!.classify(event.end)
        return this.#ended(connection, { class: as, ...rest }, false)
      }
    }
  }

  #message(connection: LiveConnection, data: Data): void {
    const { generation } = connection
    if (this.#isClosing) {
      // A closing link acts only on answers to its ending frames (LK9).
      if (this.#protocol?.answer(data)) this.#shell.handle({ type: 'acknowledged', generation })
      return
    }
    if (connection === this.#current) {
      this.#watch.message()
      if (!connection.answered) {
        connection.answered = true
        this.#shell.handle({ type: 'answered', generation })
      }
    }
    this.#protocol?.message(data, connection)
  }

  #ended(
    { generation }: { readonly generation: number },
    end: LinkEnd,
    socketOpen: boolean,
    silentFor = 0,
  ): void {
    const resumable = !this.#machine.state.wasReady || (this.#protocol?.canResume() ?? true)
    const ended = { type: 'ended', generation, end, socketOpen, silentFor, resumable } as const
    this.#shell.handle({ ...ended, jitter: this.#jitter })
  }

  /** Cuts the connection at once: waiting for its close frame would mean reading on. */
  #flooded(connection: LiveConnection): void {
    if (this.#isClosing) return this.#shell.handle({ type: 'abort' })
    this.#cut(connection.generation)
    return this.#ended(connection, { class: 'dropped', reason: 'the peer sent too much' }, false)
  }

  /** Fails the link, because the protocol's code threw. */
  #broken(error: unknown): void {
    if (!this.#context) return
    this.#thrown = error
    this.#shell.handle({ type: 'broken' })
  }

  get #jitter(): number {
    return this.#context?.random.next() ?? 0
  }

  // ── closing ──

  get #isClosing(): boolean {
    return this.#network === undefined
  }

  #beginClosing(reason: CancelledError): void {
    this.#closeReason = reason
    this.#network = undefined
    this.#outbox.close()
    this.#watch.stop()
    for (const connection of this.#connections.values()) connection.mute = true
    this.#shell.handle({ type: 'intent' })
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolveClose = resolve
      this.#shell.handle({ type: 'close' })
      if (this.#machine.state.closed) resolve()
    })
  }

  #abort(): void {
    this.#network = undefined
    this.#shell.handle({ type: 'abort' })
  }

  // ── commands of the machine ──

  #carryOut(command: Exclude<LinkCommand, TimerCommand<string>>): void {
    switch (command.type) {
      case 'dial':
        return this.#dial(command.generation)
      case 'use':
        return this.#use(this.#connections.get(command.generation))
      case 'hold':
        this.#current = undefined
        this.#watch.stop()
        return this.#outbox.hold()
      case 'fence':
        return this.#connections.get(command.generation)?.fence()
      case 'send-ending':
        return this.#protocol?.sendEnding(this.#connections.get(command.generation))
      case 'close':
        return this.#connections.get(command.generation)?.sendClose()
      case 'cut':
        return this.#cut(command.generation)
      case 'lost':
        this.#context?.logger.info({ link: this.name, ...command.end }, 'link lost its connection')
        return this.#protocol?.lost(command.end)
      case 'closed':
        return this.#closed(command)
    }
  }

  #dial(generation: number): void {
    const request = this.#protocol?.request()
    // A request may take time. Meanwhile the attempt may time out, or the link may close.
    const waiting = (): boolean => this.#machine.state.next?.generation === generation
    const failed = (error: unknown): unknown => waiting() && this.#requestFailed(generation, error)
    if (!(request instanceof Promise)) this.#connect(generation, request)
    else request.then((settled) => waiting() && this.#connect(generation, settled), failed)
  }

  #requestFailed(generation: number, error: unknown): void {
    if (error instanceof EndwellError) return this.#broken(error)
    const reason = plainReason(`no request could be made: ${describeError(error).message}`)
    return this.#ended({ generation }, { class: 'refused', reason }, false)
  }

  #connect(generation: number, request: LinkRequest | undefined): void {
    const network = this.#network
    if (!request || !network) return
    const problem = requestProblem(request)
    if (problem !== undefined) return this.#shell.handle({ type: 'invalid', problem })
    const connection = new LiveConnection(generation, this.#connectionHost, {
      clock: this.#context!.scope.clock,
      credentials: credentialsOf(request),
      inbound: this.#inbound,
    })
    this.#connections.set(generation, connection)
    callOut(
      () => connection.attach(network.dial({ ...request, name: this.name }, connection)),
      (error) => this.#broken(error),
    )
    if (generation > 1) this.#context?.logger.info({ link: this.name, generation }, 'link dials again')
  }

  #use(connection: LiveConnection | undefined): void {
    if (!connection) return
    this.#current = connection
    this.#opening?.resolve()
    this.#opening = undefined
    this.#watch.start(connection)
    this.#outbox.use(connection)
  }

  #cut(generation: number): void {
    const connection = this.#connections.get(generation)
    this.#connections.delete(generation)
    connection?.cut()
  }

  #closed({ how, end, error: code }: ClosedCommand): void {
    const { name } = this
    const context = this.#context!
    const protocol = this.#protocol!
    const opening = this.#opening
    const cause = this.#thrown
    this.#release()
    const { generation, retries } = this.#machine.state
    const report = reportConnection(name, how, end, retries)
    if (generation > 0) context.ended(report)
    if (code === undefined) {
      context.logger.info({ link: name, ...report }, 'link closed')
      opening?.reject(new ScopeClosedError(context.scope.name, `open '${name}'`, this.#closeReason))
    } else {
      context.logger.warn({ link: name, ...report, error: code }, 'link failed')
      context.scope.forget(this)
      const error = new LinkError(name, code, end, cause === undefined ? undefined : { cause })
      if (opening) opening.reject(error)
      else protocol.failed(error)
    }
    this.#resolveClose?.()
  }

  #release(): void {
    this.#current = undefined
    this.#outbox.close()
    this.#watch.stop()
    for (const generation of this.#connections.keys()) this.#cut(generation)
    this.#context = undefined
    this.#protocol = undefined
    this.#network = undefined
    this.#opening = undefined
    this.#thrown = undefined
    this.#shell.stop()
  }
}
