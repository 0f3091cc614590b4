import { checkKeys, maxKeys } from '../../audio/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { Agent } from './agent.ts'
import type { KeyPrompt } from './keypad.ts'
import { tool, type NestedTask } from './tool.ts'

export interface AskForKeysOptions {
  /** What to say: 'Please enter your customer number, and then the hash key.' */
  say: string
  /** What to say after an entry that was wrong or did not come. Default: the same as `say`. */
  again?: string
  /** How many keys to collect. Default: any number, up to `finishOn`, up to 32, or until no key follows. */
  digits?: number
  /** The key that ends an entry. It is not part of the entry. Default: `#`. */
  finishOn?: string
  /** How long to wait for a key, from the end of the words or from the previous key. Default: 5 s. */
  timeout?: number
  /** How often to ask. Default: 3. */
  tries?: number
}

const optionNames: OptionNames<AskForKeysOptions> = {
  say: true,
  again: true,
  digits: true,
  finishOn: true,
  timeout: true,
  tries: true,
}

/**
 * A task that asks the caller to enter something with the telephone keys (KY5). Its result is the keys, or undefined if the
 * caller has not entered them in `tries` attempts. A caller who says the digits instead is understood, too.
 *
 * ```ts
 * const number = await context.run(askForKeys({ say: 'Please enter your customer number.', digits: 6 }))
 * ```
 */
export function askForKeys(options: AskForKeysOptions): NestedTask<string | undefined> {
  const prompt = promptOf(options)
  return { name: 'keys', agent: (done) => new KeysAgent(prompt, done) }
}

function promptOf(options: AskForKeysOptions): Omit<KeyPrompt, 'done'> {
  checkOptions('askForKeys', options, optionNames)
  const { say, again = say, digits, finishOn = '#', timeout = 5_000, tries = 3 } = options
  if (typeof say !== 'string' || say.trim() === '') throw new OptionError('askForKeys: say must be a text')
  checkKeys(finishOn)
  if (!/^[\d*#A-D]$/.test(finishOn))
    throw new OptionError(`askForKeys: finishOn must be one key; it is '${finishOn}'`)
  if (digits !== undefined && !isWhole(digits, maxKeys))
    throw new OptionError(`askForKeys: digits must be a whole number, 1 to ${maxKeys}; it is ${digits}`)
  if (!isWhole(tries, Number.MAX_SAFE_INTEGER))
    throw new OptionError(`askForKeys: tries must be a whole number, 1 or more; it is ${tries}`)
  if (!Number.isFinite(timeout) || timeout <= 0)
    throw new OptionError(
      `askForKeys: timeout must be a finite number of milliseconds, more than 0; it is ${timeout}`,
    )
  return { say, again, digits, finishOn, timeout, tries }
}

const isWhole = (value: number, max: number): boolean =>
  Number.isSafeInteger(value) && value >= 1 && value <= max

/** Talks to a caller who speaks instead of pressing keys. `Keypad` collects the keys. */
class KeysAgent extends Agent {
  readonly keyPrompt: KeyPrompt

  constructor(prompt: Omit<KeyPrompt, 'done'>, done: (keys: string | undefined) => void) {
    const { say, digits } = prompt
    super({
      name: 'keys',
      instructions:
        `The caller was asked: "${say}" They are to press keys on the telephone, which you do not see. If the caller says ` +
        `the digits instead, call enter_keys. If the caller cannot or does not want to enter them, call give_up. ` +
        `Otherwise answer in one sentence, and ask for the keys again.`,
      tools: {
        enter_keys: tool({
          description: 'Enter the digits that the caller has said',
          parameters: {
            type: 'object',
            properties: { keys: { type: 'string', description: 'Only digits, * and #' } },
            required: ['keys'],
          },
          run: ({ keys }) => {
            const entered = typeof keys === 'string' ? keys.replaceAll(/[\s-]/g, '') : ''
            if (!/^[\d*#A-D]{1,32}$/.test(entered)) throw new Error('keys must be digits, such as 4711')
            if (digits !== undefined && entered.length !== digits)
              throw new Error(`there must be ${digits} digits, not ${entered.length}: ask the caller again`)
            done(entered)
            return 'entered'
          },
        }),
        give_up: tool({
          description: 'The caller cannot or does not want to enter the keys',
          run: () => {
            done(undefined)
            return 'the caller entered nothing'
          },
        }),
      },
    })
    this.keyPrompt = { ...prompt, done }
  }
}
