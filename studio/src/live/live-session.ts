import { batch, computed, signal } from '@preact/signals'
import type {
  CloseTimes,
  LiveEvent,
  LiveMessage,
  SessionDetails,
  SessionSummary,
} from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import type { SessionReport } from '../../../src/session/index.ts'
import { read, send, type ApiError } from '../host/api.ts'
import { Feed } from '../host/feed.ts'
import { sessions } from '../host/store.ts'
import { applyToConversation, emptyConversation } from './conversation.ts'
import { applyToTree, closeTimesOf, prune, type ResourceNode } from './resource-tree.ts'

/** The most events that are kept for the event log. */
const MAX_EVENTS = 2_000

/** A session, kept up to date by the host's stream until the session has closed. */
export class LiveSession {
  readonly id: string
  /** While the call is live, that of the list, which is kept up to date: first words, turns, faults. */
  readonly summary = computed(() => {
    const summary = this.#summary.value
    if (!summary || summary.state === 'closed') return summary
    return sessions.value?.find(({ id }) => id === this.id) ?? summary
  })
  readonly conversation = signal(emptyConversation)
  /** The latest events, as the host sent them. */
  readonly events = signal<readonly LiveEvent[]>([])
  readonly tree = signal<ResourceNode | undefined>(undefined)
  /** When the close was requested, and its deadline, by the session's clock. */
  readonly closing = signal<CloseTimes | undefined>(undefined)
  /** The tree since the close was requested, with everything that has ended since. */
  readonly closingTree = signal<ResourceNode | undefined>(undefined)
  readonly report = signal<SessionReport | undefined>(undefined)
  /** Why the stream is down. Status 404: the host does not have the session. */
  readonly failure = signal<ApiError | undefined>(undefined)
  /** As the stream of the session sent it, when it began or ended. */
  readonly #summary = signal<SessionSummary | undefined>(undefined)
  readonly #path: string
  readonly #feed: Feed<LiveMessage>
  /** The session's clock minus the page's. */
  #offset = 0

  constructor(id: string) {
    this.id = id
    this.#path = `api/sessions/${encodeURIComponent(id)}`
    this.#feed = new Feed<LiveMessage>(`${this.#path}/events`, {
      message: (message) => this.#received(message),
      online: () => {
        this.failure.value = undefined
      },
      offline: (error) => {
        this.failure.value = error
      },
    })
  }

  /** The time by the session's clock. */
  get now(): number {
    return systemClock.now() + this.#offset
  }

  /** Removes what has ended well from the tree. */
  prune(): void {
    const tree = this.tree.peek()
    if (tree) this.tree.value = prune(tree, this.now)
  }

  stop(): void {
    this.#feed.stop()
  }

  act(verb: 'close' | 'drain' | 'interrupt'): Promise<void> {
    return send('POST', `${this.#path}/${verb}`)
  }

  /** Approves or refuses a tool call that waits for it. */
  decide(call: string, approved: boolean): Promise<void> {
    return send('POST', `${this.#path}/approve`, { call, approved })
  }

  /** Where the host serves a recording of the call. */
  recordingUrl(index: number): string {
    return `${this.#path}/recordings/${index}`
  }

  /** The report as text, as `formatReport` prints it. */
  async text(): Promise<string> {
    const details = await read<SessionDetails>(this.#path)
    return details.text ?? ''
  }

  #followClose(message: LiveMessage): void {
    if (message.type === 'closed') return
    const known = message.type === 'snapshot' ? undefined : this.closingTree.value
    this.closing.value = message.type === 'snapshot' ? closeTimesOf(message) : message.closing
    if (this.closing.value) this.closingTree.value = known ? applyToTree(known, message) : this.tree.value
  }

  #received(message: LiveMessage): void {
    batch(() => {
      if (message.type !== 'closed') this.#offset = message.now - systemClock.now()
      if (message.type === 'snapshot') this.events.value = message.events
      else if (message.type === 'batch' && message.events.length > 0)
        this.events.value = [...this.events.value, ...message.events].slice(-MAX_EVENTS)
      this.conversation.value = applyToConversation(this.conversation.value, message)
      this.tree.value = applyToTree(this.tree.value, message)
      this.#followClose(message)
      if (message.type === 'batch') return
      this.#summary.value = message.summary
      if (message.type !== 'closed') return
      this.report.value = message.report
      this.#feed.stop()
    })
  }
}
