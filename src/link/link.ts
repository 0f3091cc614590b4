import {
  MachineShell,
  ScopeClosedError,
  type CancelledError,
  type Network,
  type SocketEnd,
  type TimerCommand,
  type Timers,
} from '../scope/index.ts'
import { classify } from './classify.ts'
import type { ConnectionReport } from './connection-report.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import { LinkError } from './link-error.ts'
import type { LinkCommand, LinkEvent, OverCommand } from './link-events.ts'
import { LinkMachine } from './link-machine.ts'
import { settle } from './link-settings.ts'
import type { LinkPhase } from './link-state.ts'
import { LiveConnection, type ConnectionHost } from './live-connection.ts'
import { Outbox } from './outbox.ts'
import type { Data, LinkContext, Protocol } from './protocol.ts'

/** How a link is right now, for people. */
export interface LinkStatus {
  readonly phase: LinkPhase
  /** How many connections it has dialled. */
  readonly generation: number
  /** How often it was opened anew after a failure. */
  readonly retries: number
  /** Failures in a row. */
  readonly failures: number
  /** What waits to be sent. */
  readonly queued: number
  /** Pieces of audio that were not sent. */
  readonly droppedAudio: number
  /** How the last connection ended. */
  readonly last?: LinkEnd
}

/**
 * One supervised connection to a provider, kept up over drops, idle ends and session limits until its scope closes.
 *
 *            ┌─────────── Protocol: what the provider wrote ───────────┐
 *            │ request   opened   message   classify   ending   failed │
 *            └────▲─────────▲────────▲─────────▲─────────▲────────▲────┘
 *   send ──▶      │         │        │         │         │        │
 *   sendAudio ──▶ Link: queue, timers, sockets ◀──▶ LinkMachine: what happens next (drawn there)
 *                 │
 *            Network: one socket at a time; two while a new one takes over
 *
 * It is owned by the scope it was opened in and ends with it: the intent to close reaches it before anything else
 * happens, and takes away what it dials with. Then the protocol's own end, its acknowledgement, the close frame, and at
 * last the cut; each within its time.
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
  readonly #connections = new Map<number, LiveConnection>()
  readonly #shell: MachineShell<LinkEvent, LinkCommand>
  /** Gone when the link is over, as is the protocol: a link that somebody keeps must keep nothing alive. */
  #context: LinkContext | undefined
  #protocol: Protocol | undefined
  /** What it dials with: gone as soon as closing is intended (LK1). */
  #network: Network | undefined
  /** The connection in use. */
  #serving: LiveConnection | undefined
  #opening: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  /** Why it is closing. */
  #reason: CancelledError | undefined
  #whenOver: (() => void) | undefined
  /** What the protocol's own code threw. */
  #thrown: unknown

  private constructor(context: LinkContext, protocol: Protocol) {
    this.name = protocol.name
    this.#context = context
    this.#protocol = protocol
    this.#network = context.network
    const { clock } = context.scope
    this.#machine = new LinkMachine(settle(protocol))
    // Timers of the clock, not of the scope: a link has work to do while its scope closes.
    const timers: Timers = { clock, after: (ms, name, callback) => clock.after(ms, name, callback) }
    this.#shell = new MachineShell(this.#machine, timers, {
      name: `link '${protocol.name}'`,
      carryOut: (command) => this.#carryOut(command),
      timerEvent: (timer, due) => ({ type: 'timer', timer, due, chance: this.#context?.random.next() ?? 0 }),
    })
    this.#outbox = new Outbox(clock, protocol, {
      overflow: () => this.#shell.handle({ type: 'overflow' }),
      unanswered: (connection) => this.#ended(connection, { class: 'dropped', reason: 'no answer' }, true),
      quiet: (connection) => this.#guarded(() => this.#keepAlive(connection)),
    })
  }

  /**
   * Opens a link that `context.scope` owns. Resolves when its first connection is ready; rejects with a `LinkError` if
   * there will be none, and with `ScopeClosedError` if the scope closes before (LK5).
   */
  static async open(context: LinkContext, protocol: Protocol): Promise<Link> {
    const link = new Link(context, protocol)
    context.scope.own(link.name, link, {
      closing: (_, reason) => link.#closing(reason),
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
   * Sends text or a control message, which is never dropped: it waits for a connection, and wakes a link that sleeps.
   * More of them than may wait are fatal. Does nothing once the link is closing. Bytes must not be changed afterwards.
   */
  send(data: Data): void {
    this.#outbox.send(data)
    this.wake()
  }

  /**
   * Sends audio. It waits for a connection, and the oldest is dropped for the newest. It does not wake a link that
   * sleeps, because silence is audio, too: `wake()` does. Otherwise like `send`.
   */
  sendAudio(data: Data): void {
    this.#outbox.sendAudio(data)
  }

  /** Somebody speaks: a link that sleeps connects. */
  wake(): void {
    if (this.#machine.state.idle) this.#shell.handle({ type: 'wake' })
  }

  /** Moves to a new connection in `after` milliseconds, at once unless set. */
  rollOver(after = 0): void {
    this.#serving?.rollOver(after)
  }

  // ── what connections tell ──

  readonly #connection: ConnectionHost = {
    opened: (connection) => {
      this.#shell.handle({ type: 'opened', generation: connection.generation })
      const protocol = this.#protocol
      if (!protocol?.opened) return connection.ready()
      this.#guarded(() => protocol.opened?.(connection))
    },
    ready: ({ generation }) => this.#shell.handle({ type: 'ready', generation }),
    rollOver: ({ generation }, after) => this.#shell.handle({ type: 'roll-over', generation, after }),
    message: (connection, data) => this.#message(connection, data),
    ended: (connection, end) => {
      // A cut is not told to the machine, which has cut it.
      if (!this.#connections.delete(connection.generation)) return
      const { how: _, ...rest } = end
      this.#ended(connection, { class: this.#classOf(end), ...rest }, false)
    },
    announced: (connection, end) => this.#ended(connection, end, true),
  }

  #message(connection: LiveConnection, data: Data): void {
    if (this.#isClosing) return this.#answer(connection, data)
    this.#outbox.heard()
    if (connection === this.#serving && !connection.answered) {
      connection.answered = true
      this.#shell.handle({ type: 'answered', generation: connection.generation })
    }
    try {
      this.#protocol?.message(data, connection)
    } catch (error) {
      this.#broken(error)
    }
  }

  /** Closing: the last answers are for whoever wants them, and nothing else is acted upon (LK9). */
  #answer({ generation }: LiveConnection, data: Data): void {
    try {
      if (this.#protocol?.ending?.answer?.(data)) this.#shell.handle({ type: 'acknowledged', generation })
    } catch (error) {
      this.#warn(error, 'the end of a link was answered, and its protocol threw')
    }
  }

  #ended({ generation }: LiveConnection, end: LinkEnd, standing: boolean): void {
    const resumable = this.#resumable
    const chance = this.#context?.random.next() ?? 0
    this.#shell.handle({ type: 'ended', generation, end, standing, resumable, chance })
  }

  #classOf(end: SocketEnd): EndClass {
    if (this.#isClosing) return 'asked'
    try {
      return this.#protocol?.classify?.(end) ?? classify(end)
    } catch (error) {
      this.#warn(error, 'the table of ends of a link threw')
      return classify(end)
    }
  }

  get #resumable(): boolean {
    if (!this.#machine.state.wasReady) return true
    try {
      return this.#protocol?.canResume?.() ?? true
    } catch (error) {
      this.#warn(error, 'canResume() of a link threw')
      return false
    }
  }

  // ── what the scope tells ──

  get #isClosing(): boolean {
    return this.#network === undefined
  }

  /** Closing is intended: from here on there is nothing to dial with. */
  #closing(reason: CancelledError): void {
    this.#reason = reason
    this.#network = undefined
    this.#outbox.close()
    for (const connection of this.#connections.values()) connection.mute = true
    this.#shell.handle({ type: 'intent' })
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenOver = resolve
      this.#shell.handle({ type: 'close' })
      if (this.#machine.state.over) resolve()
    })
  }

  #abort(): void {
    this.#network = undefined
    this.#shell.handle({ type: 'abort' })
  }

  // ── the machine ──

  #carryOut(command: Exclude<LinkCommand, TimerCommand<string>>): void {
    switch (command.type) {
      case 'dial':
        return this.#guarded(() => this.#dial(command.generation))
      case 'serve':
        return this.#serve(this.#connections.get(command.generation))
      case 'hold':
        return this.#hold()
      case 'fence':
        return this.#connections.get(command.generation)?.fence()
      case 'send-ending':
        return this.#sendEnding(this.#connections.get(command.generation))
      case 'close':
        return this.#connections.get(command.generation)?.sendClose()
      case 'cut':
        return this.#cut(command.generation)
      case 'lost':
        return this.#lost(command.end)
      case 'over':
        return this.#over(command)
    }
  }

  #dial(generation: number): void {
    const request = this.#protocol?.request()
    if (!request || !this.#network) return
    const connection = new LiveConnection(generation, this.#connection)
    this.#connections.set(generation, connection)
    connection.attach(this.#network.dial({ ...request, name: this.name }, connection))
    if (generation > 1) this.#context?.logger.info({ link: this.name, generation }, 'link dials anew')
  }

  #serve(connection: LiveConnection | undefined): void {
    if (!connection) return
    this.#serving = connection
    this.#opening?.resolve()
    this.#opening = undefined
    this.#outbox.serve(connection)
  }

  #keepAlive(connection: LiveConnection): void {
    const frame = this.#protocol?.keepAlive?.frame()
    if (frame !== undefined) connection.send(frame)
  }

  #hold(): void {
    this.#serving = undefined
    this.#outbox.hold()
  }

  #sendEnding(connection: LiveConnection | undefined): void {
    try {
      for (const frame of this.#protocol?.ending?.frames?.() ?? []) connection?.sendEnding(frame)
    } catch (error) {
      this.#warn(error, 'the ending frames of a link could not be made')
    }
  }

  #cut(generation: number): void {
    const connection = this.#connections.get(generation)
    this.#connections.delete(generation)
    connection?.cut()
  }

  #lost(end: LinkEnd): void {
    this.#context?.logger.info({ link: this.name, ...end }, 'link has lost its connection')
    this.#guarded(() => this.#protocol?.lost?.(end))
  }

  /** The protocol's own code: what it throws is the end of this link, and of nothing else. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#broken(error)
    }
  }

  #broken(error: unknown): void {
    this.#thrown = error
    this.#shell.handle({ type: 'broken' })
  }

  // ── the end ──

  #over({ how, end, error: code }: OverCommand): void {
    const { name } = this
    const context = this.#context!
    const protocol = this.#protocol!
    const opening = this.#opening
    const cause = this.#thrown
    this.#release()
    const { generation, retries } = this.#machine.state
    const reason = end?.reason ?? (end?.status === undefined ? undefined : `HTTP ${end.status}`)
    const report: ConnectionReport = {
      name,
      how,
      ...(end?.code === undefined ? {} : { code: end.code }),
      ...(reason === undefined ? {} : { reason }),
      retries,
    }
    if (generation > 0) context.ended(report)
    if (code === undefined) {
      context.logger.info({ link: name, ...report }, 'link closed')
      opening?.reject(new ScopeClosedError(context.scope.name, `open '${name}'`, this.#reason))
    } else {
      context.logger.warn({ link: name, ...report, error: code }, 'link failed')
      context.scope.forget(this)
      const error = new LinkError(name, code, end, cause === undefined ? undefined : { cause })
      if (opening) opening.reject(error)
      else tellFailure(protocol, error, context)
    }
    this.#whenOver?.()
  }

  /** Keeps nothing. */
  #release(): void {
    this.#serving = undefined
    this.#outbox.close()
    for (const generation of this.#connections.keys()) this.#cut(generation)
    this.#context = undefined
    this.#protocol = undefined
    this.#network = undefined
    this.#opening = undefined
    this.#thrown = undefined
    this.#shell.stop()
  }

  #warn(error: unknown, message: string): void {
    this.#context?.logger.warn({ link: this.name, error }, message)
  }
}

function tellFailure(protocol: Protocol, error: LinkError, { logger }: LinkContext): void {
  try {
    protocol.failed(error)
  } catch (thrown) {
    logger.warn({ link: protocol.name, error: thrown }, 'failed() of a link threw')
  }
}
