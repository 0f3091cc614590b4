export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { InworldTts, type InworldTtsOptions } from './inworld-tts.ts'
