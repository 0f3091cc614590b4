import { clip, type Scope, type Timer } from '../../scope/index.ts'
import type { Session, SessionEvents, Speech } from '../../session/index.ts'
import type { RtviClient } from './client.ts'
import { limits } from './limits.ts'
import { UsageMeter, latencyMetrics } from './metrics.ts'
import type { RtviOptions } from './options.ts'
import { SpeechOutput, type SegmentProgress } from './speech-output.ts'

/** A speech that has not ended. */
interface ActiveSpeech {
  readonly output: SpeechOutput
  /** Whether a model made its words, and whether all of them are known. */
  readonly isReply: boolean
  hasLastWords: boolean
  isAudible: boolean
}

/** Shows a session to a client: every event becomes messages, and nothing is decided here. */
export class SessionMessages {
  readonly #session: Session
  readonly #client: RtviClient
  readonly #scope: Scope<string>
  readonly #shownTools: NonNullable<RtviOptions['tools']>
  readonly #usage = new UsageMeter()
  readonly #speeches = new Map<Speech, ActiveSpeech>()
  readonly #unsubscribe: (() => void)[]
  #lastSegment = 0
  #userSpeaks = false
  #thinks = false
  /** Whether the client believes that the model is at work. */
  #llmStarted = false
  #progress: Timer | undefined

  /** `scope` must outlive the session. */
  constructor(session: Session, client: RtviClient, scope: Scope<string>, { tools = 'hidden' }: RtviOptions) {
    this.#session = session
    this.#client = client
    this.#scope = scope
    this.#shownTools = tools
    const on = <Name extends keyof SessionEvents>(
      name: Name,
      listener: (data: SessionEvents[Name]) => void,
    ): (() => void) => session.on(name, listener)
    this.#unsubscribe = [
      on('user-state', ({ state }) => this.#userIs(state === 'speaking')),
      on('hearing', ({ text }) => this.#transcript(text, false)),
      on('transcribed', ({ text }) => this.#transcript(text, true)),
      on('user', ({ text }) => this.#send('user-llm-text', { text: clip(text, limits.text) })),
      on('thinking', ({ thinking }) => this.#agentThinks(thinking)),
      on('words', (words) => this.#words(words)),
      on('speaking', ({ speech }) => this.#starts(speech)),
      on('spoken', ({ speech }) => this.#ends(speech)),
      on('latency', (latency) => this.#send('metrics', latencyMetrics(latency))),
      on('tool', (call) => this.#toolCalled(call)),
      on('tool-done', (done) => this.#toolDone(done)),
      on('hold', ({ held }) => this.#send(held ? 'user-mute-started' : 'user-mute-stopped')),
      // What exactly went wrong is for the agent's operator. The caller learns where.
      on('error', ({ where }) => this.#send('error', { error: clip(`${where} failed`, 200), fatal: false })),
    ]
  }

  /** Sends nothing more. */
  end(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
    this.#progress?.clear()
    this.#speeches.clear()
  }

  #send(type: string, data?: object): void {
    this.#client.send(type, data)
  }

  // ── the user ──

  #userIs(speaking: boolean): void {
    if (speaking === this.#userSpeaks) return
    this.#userSpeaks = speaking
    this.#send(speaking ? 'user-started-speaking' : 'user-stopped-speaking')
  }

  #transcript(text: string, final: boolean): void {
    const timestamp = new Date(this.#scope.clock.date()).toISOString()
    this.#send('user-transcription', { text: clip(text, limits.text), final, timestamp, user_id: '' })
  }

  // ── the agent ──

  #agentThinks(thinking: boolean): void {
    this.#thinks = thinking
    if (thinking && !this.#llmStarted) {
      this.#llmStarted = true
      this.#send('bot-llm-started')
    }
    this.#stopLlm()
  }

  /** A model has finished once all of its words are known, which a voice may read more slowly than they come. */
  #stopLlm(): void {
    const isReading = [...this.#speeches.values()].some((each) => each.isReply && !each.hasLastWords)
    if (this.#thinks || !this.#llmStarted || isReading) return
    this.#llmStarted = false
    this.#send('bot-llm-stopped')
  }

  #words({ speech, text, by, last }: SessionEvents['words']): void {
    const active = this.#speeches.get(speech) ?? this.#begin(speech, by === 'reply')
    if (active.isReply && text !== '') this.#send('bot-llm-text', { text })
    for (const segment of active.output.add(text, last)) this.#output(segment)
    active.hasLastWords ||= last
    if (last) this.#stopLlm()
  }

  #begin(speech: Speech, isReply: boolean): ActiveSpeech {
    const output = new SpeechOutput(() => ++this.#lastSegment)
    const active: ActiveSpeech = { output, isReply, hasLastWords: false, isAudible: false }
    this.#speeches.set(speech, active)
    return active
  }

  #starts(speech: Speech): void {
    const active = this.#speeches.get(speech) ?? this.#begin(speech, false)
    if (!this.#isSpeaking) this.#send('bot-started-speaking')
    active.isAudible = true
    this.#send('bot-tts-started')
    if (this.#scope.state !== 'live') return
    this.#progress ??= this.#scope.every(limits.progress, 'what the caller has heard', () => this.#report())
  }

  get #isSpeaking(): boolean {
    return [...this.#speeches.values()].some(({ isAudible }) => isAudible)
  }

  /** Reports how much of each speech has been heard by now. */
  #report(): void {
    for (const [speech, { output, isAudible }] of this.#speeches)
      if (isAudible) this.#heard(output, speech.heard)
  }

  #heard(output: SpeechOutput, heard: string, isCut = false): void {
    const { words, progress } = output.hear(heard)
    if (words.trim() !== '') this.#send('bot-tts-text', { text: words.trim() })
    for (const segment of progress) this.#output(segment, isCut)
  }

  #ends(speech: Speech): void {
    const active = this.#speeches.get(speech)
    if (!active) return
    this.#heard(active.output, speech.heard, true)
    this.#speeches.delete(speech)
    this.#stopLlm()
    if (!active.isAudible) return
    // Clients that know it drop the sound that they have not played yet.
    if (speech.interrupted) this.#send('bot-interrupted')
    this.#send('bot-tts-stopped')
    if (!this.#isSpeaking) {
      this.#progress?.clear()
      this.#progress = undefined
      this.#send('bot-stopped-speaking')
    }
    const used = this.#usage.next(this.#session.usage)
    if (used) this.#send('metrics', used)
  }

  /** `isCut`: the speech has ended, so that a sentence that was heard in part stays as it is. */
  #output({ id, text, status, heard }: SegmentProgress, isCut = false): void {
    if (this.#client.isOld) return this.#oldOutput({ text, status, heard }, isCut)
    return this.#send('bot-output', {
      text,
      aggregated_by: 'sentence',
      segment_id: id,
      will_be_spoken: true,
      spoken_status: status,
      spoken_progress: { accumulated_text: heard, remaining_text: text.slice(heard.length) },
    })
  }

  /** Version 1 shows each sentence twice: when it is known, and when it was heard. */
  #oldOutput({ text, status, heard }: Omit<SegmentProgress, 'id'>, isCut: boolean): void {
    if (status === 'in-progress' && !isCut) return
    const spoken = status !== 'new'
    this.#send('bot-output', { text: spoken ? heard : text, spoken, aggregated_by: 'sentence' })
    if (!spoken) this.#send('bot-transcription', { text })
  }

  // ── tools ──

  #toolCalled({ id, name, input, inPage }: SessionEvents['tool']): void {
    const called = this.#shownTools !== 'hidden' || inPage ? { function_name: name } : {}
    this.#send('llm-function-call-started', called)
    // A tool of the client's own is in progress when the client is asked to run it.
    if (inPage) return
    const given = this.#shownTools === 'all' ? argumentsIn(input) : undefined
    this.#send('llm-function-call-in-progress', {
      tool_call_id: id,
      ...called,
      ...(given ? { arguments: given } : {}),
    })
  }

  #toolDone({ id, name, outcome }: SessionEvents['tool-done']): void {
    this.#send('llm-function-call-stopped', {
      tool_call_id: id,
      cancelled: outcome.stopped === 'cancelled',
      ...(this.#shownTools === 'hidden' ? {} : { function_name: name }),
      ...(this.#shownTools === 'all' ? { result: clip(outcome.output, limits.tool) } : {}),
    })
  }
}

/** The arguments of a call as the model wrote them. Undefined if they are no object, or too long to be shown. */
function argumentsIn(input: string): object | undefined {
  if (input.length > limits.tool) return undefined
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
