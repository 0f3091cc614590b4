import { decodeMuLaw, encodeMuLaw } from '../../audio/index.ts'
import type { Clock, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'

/** Milliseconds per frame. */
const FRAME = 20

/** A phone in a bridge. */
export interface BridgeMember {
  /** Takes the next 20 ms of what is said here, or undefined for silence. */
  takeVoice(): Uint8Array | undefined
  /** Plays the next 20 ms: mu-law, or nothing for silence. */
  hears(sound: Uint8Array): void
  hearsKeys(digits: string): void
}

/** Connects phones: each hears what all others say. */
export class SoundBridge {
  readonly #clock: Clock
  readonly #pace: number
  readonly #members = new Set<BridgeMember>()
  /** Members whose voice is discarded. */
  readonly #muted = new Set<BridgeMember>()
  /** Members who neither hear the others nor are heard by them. */
  readonly #held = new Set<BridgeMember>()
  #timer: Timer | undefined
  #nextFrame = 0

  /** `speed` is how many times faster than real time the bridge runs. */
  constructor(clock: Clock, speed: number) {
    this.#clock = clock
    this.#pace = FRAME / speed
  }

  join(member: BridgeMember): void {
    this.#members.add(member)
    if (this.#members.size > 1) return
    this.#nextFrame = this.#clock.now() + this.#pace
    this.#schedule()
  }

  leave(member: BridgeMember): void {
    this.#members.delete(member)
    this.#muted.delete(member)
    this.#held.delete(member)
    if (this.#members.size === 0) this.#timer?.clear()
  }

  has(member: BridgeMember): boolean {
    return this.#members.has(member)
  }

  mute(member: BridgeMember, muted: boolean): void {
    if (muted) this.#muted.add(member)
    else this.#muted.delete(member)
  }

  hold(member: BridgeMember, held: boolean): void {
    if (held) this.#held.add(member)
    else this.#held.delete(member)
  }

  /** Plays keys to all other members. */
  press(from: BridgeMember, digits: string): void {
    for (const member of this.#members) if (member !== from) member.hearsKeys(digits)
  }

  #schedule(): void {
    const wait = Math.max(0, this.#nextFrame - this.#clock.now())
    this.#timer = outsideTimer(this.#clock, wait, 'a frame of a bridge', () => this.#run())
  }

  #run(): void {
    while (this.#members.size > 0 && this.#nextFrame <= this.#clock.now()) {
      this.#nextFrame += this.#pace
      this.#frame()
    }
    if (this.#members.size > 0) this.#schedule()
  }

  #frame(): void {
    const said = new Map([...this.#members].map((member) => [member, member.takeVoice()] as const))
    for (const member of said.keys()) {
      // What one member hears can make another one leave.
      if (!this.#members.has(member)) continue
      const others = [...said].flatMap(([other, sound]) =>
        sound && other !== member && this.#canHear(member, other) ? [sound] : [],
      )
      member.hears(mix(others))
    }
  }

  #canHear(listener: BridgeMember, speaker: BridgeMember): boolean {
    return !this.#muted.has(speaker) && !this.#held.has(speaker) && !this.#held.has(listener)
  }
}

function mix(sounds: readonly Uint8Array[]): Uint8Array {
  const [first, ...more] = sounds
  if (!first) return new Uint8Array(0)
  if (more.length === 0) return first
  const sum = decodeMuLaw(first)
  for (const sound of more)
    for (const [at, sample] of decodeMuLaw(sound).entries())
      sum[at] = Math.max(-0x8000, Math.min(0x7fff, sum[at]! + sample))
  return encodeMuLaw(sum)
}
