import type { OpenAIProvider as Version3 } from '@ai-sdk/openai'
import type { OpenAIProvider as Version2 } from 'ai-sdk-openai-2'
import type { OpenAIProvider as Version4 } from 'ai-sdk-openai-4'
import { describe, expectTypeOf, it } from 'vitest'
import type { CallOptions, LanguageModel, StreamPart } from '../../../src/providers/ai-sdk/index.ts'

type Models = {
  v2: ReturnType<Version2['chat']>
  v3: ReturnType<Version3['chat']>
  v4: ReturnType<Version4['chat']>
}
type Version = keyof Models
type OptionsOf<V extends Version> = Parameters<Models[V]['doStream']>[0]
type PartOf<V extends Version> =
  Awaited<ReturnType<Models[V]['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
/** The parts of a version that are read here. */
type ReadPartOf<V extends Version> = Extract<PartOf<V>, { type: StreamPart['type'] }>

// They are compared when types are checked; at run time nothing is left of them.
describe('the types of the AI SDK', () => {
  it('take our options, in every version', () => {
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v2'>>()
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v3'>>()
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v4'>>()
  })

  it('give parts that we can read, in every version', () => {
    expectTypeOf<ReadPartOf<'v2'>>().toExtend<StreamPart>()
    expectTypeOf<ReadPartOf<'v3'>>().toExtend<StreamPart>()
    expectTypeOf<ReadPartOf<'v4'>>().toExtend<StreamPart>()
  })

  it('have every part that we read, by that name', () => {
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v2'>['type']>()
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v3'>['type']>()
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v4'>['type']>()
  })

  it('are models as we describe them, in every version', () => {
    expectTypeOf<Models[Version]>().toExtend<LanguageModel>()
  })
})
