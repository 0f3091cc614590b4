import { clip, type Scope, type Timer } from '../../scope/index.ts'
import type { HistoryItem, Session, Speech } from '../../session/index.ts'
import { limits } from './limits.ts'
import type { TranscriptEntry, TranscriptMessage } from './protocol.ts'

/** What the transcript needs from its session. */
export type TranscribedSession = Pick<Session, 'on' | 'history'>

/** Sends a message to the page: `wait` if the page has to read first, `away` if there is no page. */
export type SendTranscript = (message: TranscriptMessage) => 'sent' | 'wait' | 'away'

/**
 * The transcript of a call, for its page (LN16). It is the session's history, so the agent's words appear in it as they are
 * heard, and what the caller is saying now. Each message replaces the end of the transcript from the first entry that has
 * changed.
 */
export class PageTranscript {
  readonly #session: TranscribedSession
  readonly #scope: Scope<string>
  readonly #send: SendTranscript
  readonly #off: readonly (() => void)[]
  /** What the page has. */
  #sent: readonly TranscriptEntry[] = []
  #sentInterim = ''
  /** The final words of the turn that has not ended, and those that may still change. */
  #final = ''
  #interim = ''
  /** The speech that is being heard. Its words grow without an event. */
  #speech: Speech | undefined
  /** The first item that is sent, by its id: the oldest are left out of a long transcript. */
  #first: string | undefined
  /** Runs while another message may follow. */
  #timer: Timer | undefined

  constructor(session: TranscribedSession, scope: Scope<string>, send: SendTranscript) {
    this.#session = session
    this.#scope = scope
    this.#send = send
    this.#off = [
      session.on('hearing', ({ text }) => this.#heard(this.#final, text)),
      session.on('transcribed', ({ text }) => this.#heard(`${this.#final} ${text}`.trim(), '')),
      session.on('user', () => this.#heard('', '')),
      session.on('speaking', ({ speech }) => {
        this.#speech = speech
        this.#changed()
      }),
      session.on('spoken', ({ speech }) => {
        if (this.#speech === speech) this.#speech = undefined
        this.#changed()
      }),
      session.on('closed', () => this.stop()),
    ]
  }

  /** A page has joined, which may have nothing yet: sends everything. */
  joined(): void {
    this.#sent = []
    this.#sentInterim = ''
    this.flush()
  }

  /** Sends what has changed. */
  flush(): void {
    this.#timer?.clear()
    this.#timer = undefined
    const message = this.unsent()
    const outcome = message ? this.#send(message) : 'nothing'
    // A page that joins later gets everything.
    if (outcome === 'away') return
    if (message && outcome === 'sent') {
      this.#sent = [...this.#sent.slice(0, message.from), ...message.entries]
      this.#sentInterim = message.interim
    }
    if (message || this.#speech)
      this.#timer = this.#scope.after(limits.transcriptEvery, 'transcript of the page', () => this.flush())
  }

  /** What the page does not have yet. */
  unsent(): TranscriptMessage | undefined {
    const entries = this.#entries()
    const changed = entries.findIndex((entry, index) => !isSame(entry, this.#sent[index]))
    const from = changed < 0 ? entries.length : changed
    const interim = clip(`${this.#final} ${this.#interim}`.trim(), limits.transcriptText)
    if (from === this.#sent.length && from === entries.length && interim === this.#sentInterim)
      return undefined
    return { type: 'transcript', from, entries: entries.slice(from), interim }
  }

  stop(): void {
    this.#timer?.clear()
    for (const off of this.#off) off()
  }

  #heard(final: string, interim: string): void {
    this.#final = clip(final, limits.transcriptText)
    this.#interim = interim
    this.#changed()
  }

  /** Sends now, or when the timer fires: a message waits until the one before it is old enough. */
  #changed(): void {
    if (!this.#timer) this.flush()
  }

  #entries(): readonly TranscriptEntry[] {
    // Reading them writes them into the history.
    void this.#speech?.heard
    const entries = this.#session.history.items.flatMap(entryOf)
    const first = entries.findIndex(({ id }) => id === this.#first)
    // In steps, because all entries are sent again when the first one changes.
    const moves = first < 0 || entries.length - first > 2 * limits.transcriptEntries
    const start = moves ? Math.max(0, entries.length - limits.transcriptEntries) : first
    this.#first = entries[start]?.id
    return entries.slice(start)
  }
}

function entryOf(item: HistoryItem): TranscriptEntry[] {
  if (item.type !== 'message') return []
  const { id, role, at } = item
  const text = clip(item.text, limits.transcriptText)
  const interrupted = item.interrupted ? { interrupted: true } : {}
  return [{ id, by: role === 'user' ? 'caller' : 'agent', text, at, ...interrupted }]
}

const isSame = (a: TranscriptEntry, b: TranscriptEntry | undefined): boolean =>
  a.id === b?.id && a.text === b.text && a.interrupted === b.interrupted
