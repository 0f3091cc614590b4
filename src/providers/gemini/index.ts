export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { GeminiLive, type GeminiLiveOptions } from './gemini-live.ts'
export type { GeminiVertexOptions } from './vertex.ts'
