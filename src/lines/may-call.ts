import { isLoopback } from './loopback.ts'
import { isFromThisMachine, type Origin } from './this-machine.ts'

export interface CallerRule {
  readonly secret?: string | undefined
  /** Origins whose pages may call. Default with a secret: any. */
  readonly origins?: readonly string[] | undefined
}

/** Whether a page or a program may call, as far as its origin and its address say (LN5). Its credentials are checked elsewhere. */
export function mayCall(
  request: Origin & { readonly origin: string | undefined },
  { secret, origins }: CallerRule,
): boolean {
  const { origin } = request
  // Without a secret, nothing else keeps strangers out: both page and connection must be on this machine.
  if (secret === undefined && !isFromThisMachine(request)) return false
  // A program has no origin. Its token is what counts.
  if (origin === undefined) return secret !== undefined
  if (origins) return origins.includes(origin)
  return secret !== undefined || isLoopback(hostOf(origin))
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).hostname : undefined
}
