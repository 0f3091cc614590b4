import { checkKeys, maxKeys } from '../../audio/index.ts'
import type { PartContext } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames, type Scope } from '../../scope/index.ts'
import type { History } from '../history/history.ts'
import { MenuGuard } from './menu-guard.ts'
import { tool, type Tool, type ToolContext, type Toolset } from './tool.ts'

export interface MenuToolsOptions {
  /** At which visit to the same menu the model is told that it goes in a circle. Default: 2. */
  warnAt?: number
  /** At which visit to the same menu no more keys are pressed, and `onGiveUp` is called. Default: 4. */
  giveUpAt?: number
  /** How long a tool listens for something to be said, in milliseconds. Default: 10 s. */
  listenFor?: number
  /** How long to wait without pressing keys, such as on hold, before `onGiveUp` is called. Default: 10 min. */
  maxWait?: number
  /** What to do when there is no way through the menu. Its result is that of the tool. Default: hangs up. */
  onGiveUp?: (context: ToolContext) => unknown
}

const optionNames: OptionNames<MenuToolsOptions> = {
  warnAt: true,
  giveUpAt: true,
  listenFor: true,
  maxWait: true,
  onGiveUp: true,
}

/** The longest keys, in milliseconds: 32 pauses of a second. */
const LONGEST_KEYS = maxKeys * 1_000

/**
 * Tools for an agent that finds its way through somebody else's telephone menu (KY7): `press_keys` and `wait_and_listen`. An
 * agent that goes in a circle is told so, and then gives up (KY8).
 *
 * ```ts
 * const agent = new Agent({ instructions: 'Reach the sales department of …', toolsets: [menuTools()] })
 * ```
 */
export function menuTools(options: MenuToolsOptions = {}): Toolset {
  checkOptions('menuTools', options, optionNames)
  const { warnAt = 2, giveUpAt = 4, listenFor = 10_000, maxWait = 10 * 60_000 } = options
  for (const [name, value] of Object.entries({ warnAt, giveUpAt }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new OptionError(`menuTools: ${name} must be a whole number, 1 or more; it is ${value}`)
  for (const [name, value] of Object.entries({ listenFor, maxWait }))
    if (!Number.isFinite(value) || value < 0)
      throw new OptionError(
        `menuTools: ${name} must be a finite number of milliseconds, 0 or more; it is ${value}`,
      )
  const { onGiveUp = ({ hangUp }: ToolContext) => hangUp({ by: 'menuTools' }) } = options
  const settings = { warnAt, giveUpAt, listenFor, maxWait, onGiveUp }
  // Opened once per session: what was heard and pressed belongs to one call.
  return { name: 'menu', open: async (context) => open(context, settings) }
}

function open({ scope }: PartContext, settings: Required<MenuToolsOptions>): Readonly<Record<string, Tool>> {
  const { warnAt, giveUpAt, listenFor, maxWait, onGiveUp } = settings
  const guard = new MenuGuard()
  let waitingSince: number | undefined
  const silence = `nothing was said for ${Math.round(listenFor / 1_000)} s`
  const common = { timeout: LONGEST_KEYS + listenFor + 15_000, onInterrupt: 'cancel' } as const

  const press = tool({
    ...common,
    description:
      'Press telephone keys in a menu, then listen. Say nothing before or after. Wait until the menu has named the key that ' +
      'you need.',
    parameters: {
      type: 'object',
      properties: {
        keys: { type: 'string', description: '0-9, * and #; w is a pause of half a second: 1, or 4711#' },
      },
      required: ['keys'],
    },
    run: async (input, context) => {
      const { keys: given } = input
      const keys = typeof given === 'string' ? given.replaceAll(/\s/g, '') : ''
      checkKeys(keys)
      const visits = guard.visit(heardSinceKeys(context.history), keys)
      if (visits >= giveUpAt) return onGiveUp(context)
      waitingSince = undefined
      const warning = visits < warnAt ? '' : `. ${circle(visits, giveUpAt)}`
      context.ifCancelled(`pressed ${keys}${warning}`)
      const { how, error } = await context.press(keys)
      if (how === 'failed') throw error
      await listen(scope, listenFor, context)
      return `pressed ${keys}; then ${silence}${warning}`
    },
  })

  const wait = tool({
    ...common,
    description:
      'Wait and listen, because the menu has not named the right key yet, or because you are on hold. Say nothing before or ' +
      'after.',
    run: async (_, context) => {
      waitingSince ??= scope.clock.now()
      if (scope.clock.now() - waitingSince >= maxWait) return onGiveUp(context)
      context.ifCancelled('something was said')
      await listen(scope, listenFor, context)
      return silence
    },
  })
  return { press_keys: press, wait_and_listen: wait }
}

const circle = (visits: number, giveUpAt: number): string =>
  `You have been at this menu ${visits} times: these keys lead in a circle. Press other keys, such as 0 for a person. ` +
  `At the ${giveUpAt}th time the call is given up`

/** What was said since keys were pressed. */
function heardSinceKeys({ items }: History): string {
  const from = items.findLastIndex(({ type }) => type === 'keys') + 1
  return items
    .slice(from)
    .flatMap((item) => (item.type === 'message' && item.role === 'user' ? item.text : []))
    .join(' ')
}

/** Waits for this long. Rejects if the tool is cancelled, such as by what is said. */
function listen(scope: Scope, ms: number, { signal }: ToolContext): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const timer = scope.after(ms, 'listens to a menu', resolve)
    const stop = (): void => {
      timer.clear()
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
