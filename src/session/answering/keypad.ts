import { maxKeys } from '../../audio/index.ts'
import type { Timer } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import type { Speaking } from '../speaking/speaking.ts'
import type { Speech } from '../speaking/speech.ts'
import type { Agent } from './agent.ts'

/** How long the end key may still come, out of habit, after an entry that was complete without it. */
const HABIT = 3_000

/** What to ask for, and what to do with the keys. Plain data: the agent may come from another copy of the package. */
export interface KeyPrompt {
  readonly say: string
  readonly again: string
  readonly digits: number | undefined
  readonly finishOn: string
  readonly timeout: number
  readonly tries: number
  readonly done: (keys: string | undefined) => void
}

/**
 * Collects the keys that an agent of `askForKeys` asks for (KY5).
 *
 *   prompt is said ─▶ waiting for a key ── enough keys, the end key, or no further key ──▶ done: the keys
 *        ▲                  │
 *        └── too few keys ◀─┴── tried often enough ──▶ done: undefined
 */
export class Keypad {
  readonly #context: SessionContext
  readonly #speaking: Speaking
  readonly #say: (text: string) => Speech
  /** What the agent in charge asks for. */
  #prompt: KeyPrompt | undefined
  #words: Speech | undefined
  #keys = ''
  #tried = 0
  #timer: Timer | undefined
  #off: (() => void)[] = []
  /** An end key that is ignored until then, because its entry is complete. */
  #habit = { key: '', until: 0 }

  constructor(context: SessionContext, speaking: Speaking, say: (text: string) => Speech) {
    this.#context = context
    this.#speaking = speaking
    this.#say = say
  }

  /** Another agent is in charge: begins to ask if that agent wants keys, and stops otherwise. */
  agentChanged(agent: Agent): void {
    const { keyPrompt: prompt } = agent as Agent & { readonly keyPrompt?: KeyPrompt }
    if (prompt === this.#prompt) return
    this.#stop()
    if (!prompt) return
    const { events } = this.#context
    this.#prompt = prompt
    this.#tried = 0
    // A caller who speaks is not kept from finishing the sentence.
    const wait = (): void => this.#arm()
    this.#off = [events.on('hearing', wait), events.on('transcribed', wait), events.on('user', wait)]
    this.#ask(prompt.say)
  }

  /** The caller pressed a key. Returns whether it was taken. */
  press(key: string): boolean {
    const prompt = this.#prompt
    const habit = this.#habit
    this.#habit = { key: '', until: 0 }
    if (key === habit.key && this.#context.now < habit.until) return true
    if (!prompt || !this.#context.isOpen) return false
    this.#words?.interrupt({ force: true })
    if (key === prompt.finishOn) this.#finish(prompt)
    else {
      this.#keys += key
      if (this.#keys.length < (prompt.digits ?? maxKeys)) this.#arm()
      else {
        this.#habit = { key: prompt.finishOn, until: this.#context.now + HABIT }
        this.#finish(prompt)
      }
    }
    return true
  }

  #ask(text: string): void {
    this.#tried++
    this.#keys = ''
    this.#timer?.clear()
    const words = this.#say(text)
    this.#words = words
    words
      .waitForPlayout()
      .then(() => {
        if (this.#words === words) this.#words = undefined
        this.#arm()
      })
      // It never rejects.
      .catch(() => {})
  }

  /** Waits for the next key, once the prompt has been said. */
  #arm(): void {
    const prompt = this.#prompt
    this.#timer?.clear()
    if (!prompt || this.#words || !this.#context.isOpen) return
    this.#timer = this.#context.scope.after(prompt.timeout, 'keys of the caller', () => {
      // The agent is answering a question of the caller.
      if (this.#speaking.isIdle) this.#finish(prompt)
      else this.#arm()
    })
  }

  /** Ends an entry: it is the result, or the caller is asked again. */
  #finish(prompt: KeyPrompt): void {
    const keys = this.#keys
    const isEnough = prompt.digits === undefined ? keys !== '' : keys.length === prompt.digits
    if (!isEnough && this.#tried < prompt.tries) return this.#ask(prompt.again)
    this.#stop()
    // An entry counts as a turn of the caller: several in a row are not agents that hand over in a circle.
    if (isEnough) this.#context.book.handoffs = 0
    prompt.done(isEnough ? keys : undefined)
  }

  #stop(): void {
    this.#timer?.clear()
    for (const off of this.#off) off()
    this.#off = []
    this.#prompt = undefined
    this.#words = undefined
    this.#keys = ''
  }
}
