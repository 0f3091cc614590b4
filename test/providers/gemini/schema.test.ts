import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { schemaOf } from '../../../src/providers/gemini/schema.ts'

describe('a JSON Schema for Gemini', () => {
  it("is converted to the service's names", () => {
    const schema = z.object({
      day: z.enum(['Monday', 'Tuesday']).describe('The day'),
      people: z.int().min(1).max(9),
      at: z.iso.datetime().optional(),
      price: z.number(),
      names: z.array(z.string().min(2)).max(3),
      sure: z.boolean(),
    })
    expect(schemaOf(z.toJSONSchema(schema))).toEqual({
      type: 'OBJECT',
      properties: {
        day: { type: 'STRING', description: 'The day', enum: ['Monday', 'Tuesday'] },
        people: { type: 'INTEGER', minimum: 1, maximum: 9 },
        at: { type: 'STRING', format: 'date-time', pattern: expect.any(String) },
        price: { type: 'NUMBER' },
        names: { type: 'ARRAY', items: { type: 'STRING', minLength: '2' }, maxItems: '3' },
        sure: { type: 'BOOLEAN' },
      },
      required: ['day', 'people', 'price', 'names', 'sure'],
    })
  })

  it('loses the fields for which the service would close the connection', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: { mail: { type: 'string', format: 'email', examples: ['a@b.c'] } },
      not: {},
    }
    expect(schemaOf(schema)).toEqual({ type: 'OBJECT', properties: { mail: { type: 'STRING' } } })
    expect(schemaOf({ type: 'object', properties: {}, required: [] })).toEqual({ type: 'OBJECT' })
  })

  it('keeps null and alternatives', () => {
    const schema = z.object({
      other: z.union([z.string(), z.number()]),
      only: z.literal('yes'),
    })
    expect(schemaOf(z.toJSONSchema(schema)).properties).toEqual({
      other: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
      only: { type: 'STRING', enum: ['yes'] },
    })
    expect(schemaOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual({
      nullable: true,
      anyOf: [{ type: 'STRING' }],
    })
    expect(schemaOf({ type: ['integer', 'null'], maximum: 3 })).toEqual({
      type: 'INTEGER',
      nullable: true,
      maximum: 3,
    })
    expect(schemaOf({ type: ['integer', 'string'], description: 'Either' })).toEqual({
      description: 'Either',
      anyOf: [
        { type: 'INTEGER', description: 'Either' },
        { type: 'STRING', description: 'Either' },
      ],
    })
    expect(schemaOf({ enum: ['a', 1] })).toEqual({ type: 'STRING', enum: ['a', '1'] })
  })

  it('has its references expanded, up to a limit if they are recursive', () => {
    const schema = {
      type: 'object',
      properties: { place: { $ref: '#/$defs/place', description: 'Where' }, tree: { $ref: '#/$defs/tree' } },
      $defs: {
        place: { type: 'object', properties: { town: { type: 'string' } } },
        tree: { type: 'object', properties: { more: { $ref: '#/$defs/tree' } } },
      },
    }
    const { properties } = schemaOf(schema)
    expect(properties?.['place']).toEqual({
      type: 'OBJECT',
      description: 'Where',
      properties: { town: { type: 'STRING' } },
    })
    expect(JSON.stringify(properties?.['tree']).match(/more/g)).toHaveLength(12)
  })
})
