import { limits } from './limits.ts'

/** Shorter values are words like `1` or `true`, and no secrets. */
const SHORTEST_SECRET = 6

/** The end of what a server writes to its error output, without the secrets it was given. */
export class Complaints {
  readonly #secrets: readonly string[]
  #tail: Buffer = Buffer.alloc(0)
  #cut = false

  constructor(secrets: readonly string[]) {
    // Line by line, because the first lines of one may have been cut off; the longest first, because one may hold another.
    this.#secrets = secrets
      .flatMap((secret) => secret.split('\n'))
      .filter(({ length }) => length >= SHORTEST_SECRET)
      .toSorted((one, other) => other.length - one.length)
  }

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.#tail, chunk.subarray(-limits.complaints)])
    this.#cut ||= this.#tail.length + chunk.length > limits.complaints
    this.#tail = all.subarray(-limits.complaints)
  }

  /** What is left of it. A line that was cut is left out: it may begin with half a secret. */
  get text(): string {
    const lines = this.#tail.toString('utf8').split('\n')
    const whole = this.#cut ? lines.slice(1) : lines
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), whole.join('\n')).trim()
  }
}

/** The line that says most: the last that speaks of an error, else the last. */
export function gist(complaints: string): string {
  const lines = complaints.split('\n')
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, limits.gist)
}
