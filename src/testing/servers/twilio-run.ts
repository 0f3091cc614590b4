import { dial } from './twilio-dial.ts'
import { sendKeys } from './twilio-keys.ts'
import type { CallLeg, LegRun } from './twilio-leg.ts'
import { refer } from './twilio-refer.ts'
import { wordsIn } from './twilio-status.ts'
import type { Twiml } from './twilio-twiml.ts'
import type { AfterVerb, DocumentSource, Exchange, VerbRun } from './twilio-verb.ts'

/** Executes documents on a leg, until there is none left or another run takes its place. */
export class TwimlRun implements LegRun, VerbRun {
  readonly leg: CallLeg
  readonly exchange: Exchange
  #stopped = false

  constructor(leg: CallLeg, exchange: Exchange) {
    this.leg = leg
    this.exchange = exchange
  }

  get active(): boolean {
    return !this.#stopped && !this.leg.over
  }

  /** Takes the leg away from the run. Its stream gets `stop`. */
  stop(): void {
    this.#stopped = true
    this.leg.media.disconnect()
    this.leg.changed()
  }

  until(condition: () => boolean): Promise<void> {
    return this.leg.until(() => !this.active || condition())
  }

  resolve(url: string): string {
    const { base, context } = this.leg
    return URL.canParse(url, base) ? context.toPublic(new URL(url, base).href) : url
  }

  /** Resolves to whether the documents were executed to their end. */
  async execute(source: DocumentSource): Promise<boolean> {
    this.leg.run?.stop()
    this.leg.run = this
    let next: AfterVerb = source
    while (next !== 'end' && next !== 'next' && this.active) next = await this.#document(next)
    if (!this.active) return false
    this.leg.run = undefined
    return next === 'next'
  }

  async #document(source: DocumentSource): Promise<AfterVerb> {
    const verbs = 'verbs' in source ? source.verbs : await this.#ask(source)
    if (!verbs) return 'end'
    for (const verb of verbs) {
      if (!this.active) return 'end'
      const after = await this.#verb(verb)
      if (after !== 'next') return after
    }
    return 'next'
  }

  async #verb(verb: Twiml): Promise<AfterVerb> {
    const { name, attributes, text } = verb
    switch (name) {
      case 'Hangup':
      case 'Reject':
        return 'end'
      case 'Redirect':
        return { url: this.resolve(text.trim()) }
      case 'Pause':
        await this.#pause(Number(attributes['length'] ?? 1) * 1_000)
        return 'next'
      case 'Dial':
        return dial(this, verb)
      case 'Refer':
        return refer(this, verb)
      case 'Connect':
        return this.#connect(verb)
      case 'Play':
      case 'Say':
        return this.#play(verb)
      case 'Start':
        return this.#start(verb)
      default:
        this.leg.emit({ type: 'verb', name })
        return 'next'
    }
  }

  /** Plays keys, and skips everything else, except what is played until the call is redirected. */
  async #play({ name, attributes }: Twiml): Promise<AfterVerb> {
    const { digits, loop } = attributes
    if (digits === undefined) this.leg.emit({ type: 'verb', name })
    let played = digits === undefined && loop !== '0'
    const timer =
      digits === undefined
        ? undefined
        : sendKeys(this.leg, digits, () => {
            played = true
            this.leg.changed()
          })
    await this.until(() => played)
    timer?.clear()
    const { keysDelay = 0 } = this.leg.manners
    if (digits !== undefined && keysDelay === 'never') await this.until(() => false)
    if (digits !== undefined && typeof keysDelay === 'number' && keysDelay > 0) await this.#pause(keysDelay)
    return 'next'
  }

  #start({ children }: Twiml): AfterVerb {
    const recording = children.find(({ name }) => name === 'Recording')
    if (!recording) this.leg.emit({ type: 'verb', name: 'Start' })
    else {
      const {
        channels = 'mono',
        track = 'both',
        recordingStatusCallback: url,
        ...more
      } = recording.attributes
      this.exchange.record(this.leg, {
        channels: channels === 'dual' ? 2 : 1,
        track,
        source: 'StartCallRecordingTwiML',
        callback: url === undefined ? undefined : this.resolve(url),
        events: wordsIn(more['recordingStatusCallbackEvent']),
      })
    }
    return 'next'
  }

  async #connect({ attributes, children }: Twiml): Promise<AfterVerb> {
    const [stream] = children
    if (stream?.name !== 'Stream') {
      this.leg.emit({ type: 'verb', name: 'Connect' })
      return 'next'
    }
    const parameters = stream.children
      .filter(({ name }) => name === 'Parameter')
      .map(({ attributes: { name = '', value = '' } }) => [name, value] as const)
    const { media } = this.leg
    media.connect(stream.attributes['url'] ?? '', Object.fromEntries(parameters))
    await this.until(() => !media.streaming)
    if (!this.active) return 'end'
    media.disconnect()
    const { action } = attributes
    return action === undefined ? 'next' : { url: this.resolve(action) }
  }

  async #pause(ms: number): Promise<void> {
    let elapsed = false
    const timer = this.leg.after(ms, 'a pause in TwiML', () => {
      elapsed = true
      this.leg.changed()
    })
    await this.until(() => elapsed)
    timer.clear()
  }

  /** Requests TwiML. The call fails without it. */
  async #ask({
    url,
    fallback,
    fields,
    repeats = 0,
  }: Exclude<DocumentSource, { verbs: unknown }>): Promise<readonly Twiml[] | undefined> {
    const { leg } = this
    const result = await leg.webhooks.ask({
      url: leg.context.toLocal(url),
      fields: { CallStatus: leg.state, ...fields },
      repeats,
    })
    if (!this.active) return undefined
    if (!('verbs' in result)) {
      leg.emit({ type: 'refused', status: result.status, why: result.why })
      if (fallback !== undefined)
        return this.#ask({ url: fallback, fields: { ...fields, ErrorCode: '11200', ErrorUrl: url } })
      leg.end({ by: 'carrier', state: leg.answered ? 'completed' : 'failed', way: 'cut' })
      return undefined
    }
    leg.base = url
    if (leg.answered) leg.emit({ type: 'told-more' })
    else leg.answers()
    return result.verbs
  }
}
