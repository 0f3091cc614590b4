import type { Protocol } from '../../link/index.ts'
import { OptionError, type OptionNames } from '../../scope/index.ts'
import { checkUrl } from '../check-url.ts'

/** How to reach Gemini on Vertex AI. */
export interface GeminiVertexOptions {
  /** The id of the Google Cloud project. */
  readonly project: string
  /** For example `us-central1`, or `global`. */
  readonly location: string
  /**
   * An OAuth access token. A function is called before each connection, because tokens expire after an hour: with
   * `google-auth-library`, `() => auth.getAccessToken()`.
   */
  readonly token: string | (() => string | Promise<string>)
}

export const vertexNames: OptionNames<GeminiVertexOptions> = { project: true, location: true, token: true }

const SERVICE = '/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent'

export function vertexRequestOf(
  { project, location, token }: GeminiVertexOptions,
  given?: string,
): Protocol['request'] {
  if (!project || !location || !token)
    throw new OptionError('GeminiLive: vertex needs a project, a location and a token')
  const host = location === 'global' ? '' : `${location}-`
  const url = given ?? `wss://${host}aiplatform.googleapis.com`
  checkUrl('GeminiLive', url)
  const request = (settled: string) => ({
    url: `${url.replace(/\/$/, '')}${SERVICE}`,
    headers: { authorization: `Bearer ${settled}` },
  })
  return () => {
    const current = typeof token === 'function' ? token() : token
    return typeof current === 'string' ? request(current) : Promise.resolve(current).then(request)
  }
}

export function vertexModelOf({ project, location }: GeminiVertexOptions, model: string): string {
  if (model.startsWith('projects/')) return model
  return `projects/${project}/locations/${location}/publishers/google/models/${model.replace(/^.*\//, '')}`
}
