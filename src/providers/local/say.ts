import type { Random } from '../../scope/index.ts'
import type { Facts, Say } from './dialogue-rules.ts'

/** The words for something to say. Of several, one that was not said just now. */
export async function wordsFor(say: Say, facts: Facts, random: Random, last: string): Promise<string> {
  if (typeof say === 'function') return say(facts)
  if (typeof say === 'string') return filled(say, facts)
  const all = say.map((each) => filled(each, facts))
  const other = all.filter((each) => each !== last)
  const choice = other.length > 0 ? other : all
  return choice[Math.floor(random.next() * choice.length)] ?? ''
}

/** What the tool returned, as it was before it became text. */
export function resultOf(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}

/** The text with `{slot}` and `{result.field}` filled in. What nobody knows is left out. */
function filled(text: string, { slots, result, output }: Facts): string {
  return text.replaceAll(/\{(\w+)((?:\.\w+)*)\}/g, (_, name: string, path: string) => {
    if (name === 'output') return output
    if (name !== 'result') return slots[name] ?? ''
    const found = path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, key) => fieldOf(value, key), result)
    if (found === undefined || found === null) return ''
    return typeof found === 'string' ? found : JSON.stringify(found)
  })
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
