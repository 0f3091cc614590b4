export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { ElevenLabsTts, type ElevenLabsTtsOptions } from './elevenlabs-tts.ts'
