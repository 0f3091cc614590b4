import type { Random } from '../../scope/index.ts'
import type { Facts, Say } from './dialogue-rules.ts'

/** Renders a `Say` as text. Among several texts it avoids `last`, the one said last. */
export async function renderSay(say: Say, facts: Facts, random: Random, last: string): Promise<string> {
  if (typeof say === 'function') return say(facts)
  if (typeof say === 'string') return fill(say, facts)
  const all = say.map((each) => fill(each, facts))
  const others = all.filter((each) => each !== last)
  const choice = others.length > 0 ? others : all
  return choice[Math.floor(random.next() * choice.length)] ?? ''
}

/** Parses a tool's output; output that is not JSON is returned as text. */
export function resultOf(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}

/** Fills in `{slot}` and `{result.field}`. Unknown names are left out. */
function fill(text: string, { slots, result, output }: Facts): string {
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
