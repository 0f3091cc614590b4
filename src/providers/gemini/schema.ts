import type { Schema } from './messages.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Deeper levels are left out, because a schema may refer to itself. */
const MAX_DEPTH = 12

/** The formats that the service knows; it closes the connection for any other. */
const formats = new Set(['date-time', 'int32', 'int64', 'float', 'double'])

/**
 * Converts a JSON Schema. The service closes the connection for a field that it does not know, and live models do not
 * accept `parametersJsonSchema`. References are expanded. What the service has no field for (`additionalProperties`,
 * `not`, …) is left out, since the tool validates its input anyway.
 */
export function schemaOf(schema: JsonSchema): Schema {
  const definitions = { ...asObject(schema['definitions']), ...asObject(schema['$defs']) }
  return convert(schema, (name) => asObject(definitions[name]), 0)
}

function convert(given: JsonSchema, named: (name: string) => JsonSchema, depth: number): Schema {
  if (depth > MAX_DEPTH) return {}
  const schema = resolve(given, named)
  const next = (value: unknown): Schema => convert(asObject(value), named, depth + 1)
  const texts = pick(schema, 'string', ['title', 'description'])
  const { types, choices, nullable } = kindOf(schema)
  const common = { ...texts, ...(nullable ? { nullable } : {}) }
  if (choices.length > 0) return { ...common, anyOf: choices.map(next) }
  const [type = '', ...others] = types
  if (others.length > 0) return { ...common, anyOf: types.map((each) => next({ ...schema, type: each })) }
  return { ...(type === '' ? {} : { type: upper(type) }), ...common, ...detailsOf(schema, type, next) }
}

/** The types a value may have, its alternatives, and whether it may be null. */
function kindOf(schema: JsonSchema): { types: string[]; choices: unknown[]; nullable: boolean } {
  const types = [schema['type'] ?? guess(schema)].flat().filter((each) => typeof each === 'string')
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const isNull = (each: unknown): boolean => asObject(each)['type'] === 'null'
  return {
    types: types.filter((each) => each !== 'null'),
    choices: choices.filter((each) => !isNull(each)),
    nullable: types.includes('null') || choices.some(isNull),
  }
}

function guess(schema: JsonSchema): string | undefined {
  if (schema['properties']) return 'object'
  return schema['enum'] || schema['const'] !== undefined ? 'string' : undefined
}

function detailsOf(schema: JsonSchema, type: string, next: (value: unknown) => Schema): Schema {
  switch (type) {
    case 'object':
      return shapeOf(schema, next)
    case 'array':
      return { items: next(schema['items']), ...counts(schema, ['minItems', 'maxItems']) }
    case 'string':
      return {
        ...valuesOf(schema),
        ...formatOf(schema),
        ...pick(schema, 'string', ['pattern']),
        ...counts(schema, ['minLength', 'maxLength']),
      }
    case 'number':
    case 'integer':
      return { ...formatOf(schema), ...pick(schema, 'number', ['minimum', 'maximum']) }
    default:
      return {}
  }
}

function shapeOf(schema: JsonSchema, next: (value: unknown) => Schema): Schema {
  const entries = Object.entries(asObject(schema['properties']))
  if (entries.length === 0) return {}
  const properties = Object.fromEntries(entries.map(([name, each]) => [name, next(each)]))
  const required = schema['required']
  return Array.isArray(required) ? { properties, required: required.map(String) } : { properties }
}

function valuesOf(schema: JsonSchema): Schema {
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  return Array.isArray(values) ? { enum: values.map(String) } : {}
}

function formatOf({ format }: JsonSchema): Schema {
  return typeof format === 'string' && formats.has(format) ? { format } : {}
}

function resolve(schema: JsonSchema, named: (name: string) => JsonSchema): JsonSchema {
  const { $ref: reference, ...rest } = schema
  return typeof reference === 'string' ? { ...named(reference.split('/').at(-1) ?? ''), ...rest } : schema
}

function pick(schema: JsonSchema, type: 'string' | 'number', names: readonly (keyof Schema)[]): Schema {
  return Object.fromEntries(
    names.filter((name) => typeof schema[name] === type).map((name) => [name, schema[name]]),
  )
}

/** The service's JSON has 64-bit numbers as strings. */
function counts(schema: JsonSchema, names: readonly (keyof Schema)[]): Schema {
  return Object.fromEntries(
    names.filter((name) => typeof schema[name] === 'number').map((name) => [name, String(schema[name])]),
  )
}

const upper = (type: string): NonNullable<Schema['type']> => type.toUpperCase() as NonNullable<Schema['type']>

const asObject = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
