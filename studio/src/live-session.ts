import { batch, signal } from '@preact/signals'
import type { LiveMessage, SessionDetails, SessionSummary } from '../../src/host/wire.ts'
import { systemClock } from '../../src/scope/clock.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { prune, watch, type AliveNode } from './alive.ts'
import { read, send, type ApiError } from './api.ts'
import { nothingSaid, tell } from './conversation.ts'
import { Feed } from './feed.ts'

/** One session as the host tells of it: its conversation, what is alive in it, and its end. */
export class LiveSession {
  readonly id: string
  readonly summary = signal<SessionSummary | undefined>(undefined)
  readonly conversation = signal(nothingSaid)
  readonly tree = signal<AliveNode | undefined>(undefined)
  readonly report = signal<SessionReport | undefined>(undefined)
  /** Why it cannot be followed: the host does not know it, or is gone. */
  readonly trouble = signal<ApiError | undefined>(undefined)
  readonly #feed: Feed<LiveMessage>
  /** The session's clock minus ours. */
  #ahead = 0

  constructor(id: string) {
    this.id = id
    this.#feed = new Feed<LiveMessage>(`api/sessions/${encodeURIComponent(id)}/events`, {
      message: (message) => this.#told(message),
      online: () => {
        this.trouble.value = undefined
      },
      offline: (error) => {
        this.trouble.value = error
      },
    })
  }

  /** The time of the session's clock. */
  get now(): number {
    return systemClock.now() + this.#ahead
  }

  /** Takes what has ended well out of the tree. */
  prune(): void {
    const tree = this.tree.peek()
    if (tree) this.tree.value = prune(tree, this.now)
  }

  stop(): void {
    this.#feed.stop()
  }

  /** Asks the host to end it, or to be silent. */
  act(verb: 'close' | 'drain' | 'interrupt'): Promise<void> {
    return send('POST', `api/sessions/${encodeURIComponent(this.id)}/${verb}`)
  }

  /** The report as text, as it would be printed. */
  async text(): Promise<string> {
    const details = await read<SessionDetails>(`api/sessions/${encodeURIComponent(this.id)}`)
    return details.text ?? ''
  }

  #told(message: LiveMessage): void {
    batch(() => {
      if (message.type !== 'closed') this.#ahead = message.now - systemClock.now()
      this.conversation.value = tell(this.conversation.value, message)
      this.tree.value = watch(this.tree.value, message)
      if (message.type === 'batch') return
      this.summary.value = message.summary
      if (message.type !== 'closed') return
      this.report.value = message.report
      this.#feed.stop()
    })
  }
}
