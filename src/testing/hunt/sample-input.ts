import type { SimRandom } from '../sim-random.ts'

type Schema = Readonly<Record<string, unknown>>

/** How deep a sample may be nested: schemas may refer to themselves. */
const DEEPEST = 8

/** Texts for properties whose name says what they are, so that tools find something to work with. */
const byName: readonly (readonly [RegExp, readonly string[]])[] = [
  [/e-?mail/i, ['ada@example.com']],
  [/phone|number$|mobile/i, ['+15550100']],
  [/date/i, ['2026-03-02', '2026-03-04']],
  [/time|hour/i, ['10 am', '3 pm']],
  [/day/i, ['Monday', 'Wednesday']],
  [/name/i, ['Ada Lovelace', 'Grace Hopper']],
  [/city|town/i, ['Berlin']],
  [/country/i, ['Germany']],
  [/currency/i, ['EUR']],
  [/language/i, ['en']],
  [/url|link/i, ['https://example.com/']],
  [/id$|code|ref/i, ['1001', '1002']],
]

const byFormat: Readonly<Record<string, string>> = {
  date: '2026-03-02',
  time: '10:00:00Z',
  'date-time': '2026-03-02T10:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '7d444840-9dc0-41d2-8a6c-2f1f3a1b5c6d',
  ipv4: '192.0.2.1',
}

/**
 * Makes an input that fits a JSON Schema: one of its examples, its default, or a plausible value. Patterns and formats of one's
 * own are not understood: give the schema `examples`.
 */
export function sampleInput(schema: Schema, random: SimRandom): unknown {
  return sample(schema, schema, random, '', 0)
}

function sample(schema: Schema, root: Schema, random: SimRandom, name: string, depth: number): unknown {
  const { examples, default: preset, const: constant, enum: choices, $ref } = schema
  if (Array.isArray(examples) && examples.length > 0) return random.pick(examples as unknown[])
  if (preset !== undefined) return preset
  if (constant !== undefined) return constant
  if (Array.isArray(choices) && choices.length > 0) return random.pick(choices as unknown[])
  if (depth > DEEPEST) return null
  const again = (other: Schema): unknown => sample(other, root, random, name, depth + 1)
  if (typeof $ref === 'string') return again(resolve(root, $ref))
  const any = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined
  if (any && any.length > 0) return again(any.find(({ type }) => type !== 'null') ?? any[0]!)
  const all = schema['allOf'] as readonly Schema[] | undefined
  if (all) return again(Object.assign({}, { ...schema, allOf: undefined }, ...all) as Schema)
  return ofType(schema, root, random, name, depth)
}

function ofType(schema: Schema, root: Schema, random: SimRandom, name: string, depth: number): unknown {
  const type = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type']
  switch (type) {
    case 'string':
      return text(schema, random, name)
    case 'number':
    case 'integer':
      return number(schema)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array': {
      const items = (schema['items'] ?? {}) as Schema
      const length = Math.max(1, Number(schema['minItems'] ?? 1))
      return Array.from({ length }, () => sample(items, root, random, name, depth + 1))
    }
    default: {
      const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
      return Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, sample(value, root, random, key, depth + 1)]),
      )
    }
  }
}

function text({ format, minLength, maxLength }: Schema, random: SimRandom, name: string): string {
  const known = typeof format === 'string' ? byFormat[format] : undefined
  const [, choices] = byName.find(([pattern]) => pattern.test(name)) ?? []
  const plain = known ?? (choices ? random.pick(choices) : `some ${name === '' ? 'text' : name}`)
  const padded = plain.padEnd(Number(minLength ?? 0), 'x')
  return padded.slice(0, Number(maxLength ?? padded.length))
}

function number(schema: Schema): number {
  const least = Number(schema['minimum'] ?? Number(schema['exclusiveMinimum'] ?? 0) + 1)
  const step = Number(schema['multipleOf'] ?? 1)
  const value = Math.ceil(least / step) * step
  return Math.min(value, Number(schema['maximum'] ?? value))
}

function resolve(root: Schema, reference: string): Schema {
  const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  let found: unknown = root
  for (const part of path) found = (found as Record<string, unknown> | undefined)?.[part]
  return (found ?? {}) as Schema
}
