import { limits } from './limits.ts'

/** Shorter values, such as `1` or `true`, are not secrets. */
const MIN_SECRET_LENGTH = 6

/** The end of a server's stderr, without the secrets in its environment. */
export class StderrTail {
  readonly #secrets: readonly string[]
  #tail: Buffer = Buffer.alloc(0)
  #cut = false

  constructor(secrets: readonly string[]) {
    // By line, because the first lines of a secret may have been cut off. The longest first, because a secret may contain
    // another one.
    this.#secrets = secrets
      .flatMap((secret) => secret.split('\n'))
      .filter(({ length }) => length >= MIN_SECRET_LENGTH)
      .toSorted((one, other) => other.length - one.length)
  }

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.#tail, chunk.subarray(-limits.stderr)])
    this.#cut ||= this.#tail.length + chunk.length > limits.stderr
    this.#tail = all.subarray(-limits.stderr)
  }

  /** Without the first line if that was cut, because it may start in the middle of a secret. */
  get text(): string {
    const lines = this.#tail.toString('utf8').split('\n')
    const whole = this.#cut ? lines.slice(1) : lines
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), whole.join('\n')).trim()
  }
}

/** The most telling line: the last one that mentions an error, otherwise the last one. */
export function errorLine(stderr: string): string {
  const lines = stderr.split('\n')
  const line = lines.findLast((each) => /error/i.test(each)) ?? lines.at(-1) ?? ''
  return line.trim().slice(0, limits.stderrLine)
}
