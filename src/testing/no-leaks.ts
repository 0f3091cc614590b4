import { wsNetwork } from '../link/index.ts'
import {
  EndwellError,
  creationStacks,
  liveScopes,
  systemClock,
  type Live,
  type Registry,
} from '../scope/index.ts'

/** Something outlived its test. The message names it and, if known, shows where it was created. */
export class LeakError extends EndwellError {
  readonly left: readonly Live[]

  constructor(left: readonly Live[]) {
    const lines = left.map(
      ({ kind, name, origin }) => `  ${kind} '${name}'${origin ? `\n${where(origin)}` : ''}`,
    )
    super('LEAK', `left behind:\n${lines.join('\n')}\nClose the scope that owns it, or clear it.`)
    this.left = left
  }
}

/** The stack without the frames of the kernel. */
function where({ stack = '' }: Error): string {
  const frames = stack.split('\n').slice(1)
  const outside = frames.filter((frame) => !/[/\\](src|dist)[/\\]scope[/\\](?!.*\.test\.)/.test(frame))
  return (outside.length > 0 ? outside : frames).join('\n')
}

/**
 * Creates the check for SI3: it throws `LeakError` if a scope, timer or socket is still alive. Whatever existed when the
 * check was created, or was reported before, is ignored. Also turns on the recording of creation stacks.
 *
 * ```ts
 * afterEach(noLeaks())
 * ```
 */
export function noLeaks(
  registries: readonly Registry[] = [liveScopes, systemClock.timers, wsNetwork.sockets],
): () => void {
  creationStacks.on = true
  const known = new WeakSet<Live>(registries.flatMap((registry) => registry.list()))
  return () => {
    const left = registries.flatMap((registry) => registry.list()).filter((entry) => !known.has(entry))
    for (const entry of left) known.add(entry)
    if (left.length > 0) throw new LeakError(left)
  }
}
