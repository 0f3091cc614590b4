import { describe, expect, it } from 'vitest'
import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { find, talk } from './fixture.ts'

describe('Gemini on Vertex AI', () => {
  const vertex = { project: 'bright', location: 'us-central1', token: 'ya29.token' }
  const server = { answers: ['Good morning.'] }

  it('is dialled at its location, with an access token, and has its own model names', () =>
    inVirtualTime(async (world) => {
      const {
        server: vendor,
        model,
        said,
        context,
      } = await talk(world, {
        options: { vertex },
        setup: { tools: [find] },
        server: { ...server, apiKey: 'ya29.token' },
      })
      expect(vendor.dials).toEqual([
        expect.objectContaining({
          url: 'wss://us-central1-aiplatform.googleapis.com/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent',
          headers: { authorization: 'Bearer ya29.token' },
        }),
      ])
      expect(vendor.open[0]?.setup?.model).toBe(
        'projects/bright/locations/us-central1/publishers/google/models/gemini-3.8-live',
      )
      expect(JSON.stringify(vendor.open[0]?.setup?.tools)).not.toContain('behavior')
      model.respond()
      await world.clock.elapse(1_000)
      expect(said()).toBe('Good morning.')
      await context.scope.close()
    }))

  it('gets a new token for each connection', () =>
    inVirtualTime(async (world) => {
      let tokens = 0
      const token = async (): Promise<string> => {
        await world.clock.elapse(50, 'token')
        return `token-${++tokens}`
      }
      const { server: vendor, context } = await talk(world, {
        options: { vertex: { ...vertex, location: 'global', token } },
        server: { answers: [], apiKey: undefined as never },
      })
      vendor.drop()
      await world.clock.elapse(2_000)
      expect(vendor.dials.map(({ url, headers }) => [new URL(url).host, headers?.['authorization']])).toEqual(
        [
          ['aiplatform.googleapis.com', 'Bearer token-1'],
          ['aiplatform.googleapis.com', 'Bearer token-2'],
        ],
      )
      await context.scope.close()
    }))

  it('needs a project, a location and a token', () => {
    expect(() => new GeminiLive({ vertex: { ...vertex, project: '' } })).toThrow('vertex needs a project')
    expect(() => new GeminiLive({ vertex: { ...vertex, region: 'x' } as never })).toThrow(
      "unknown option 'region'",
    )
  })
})
