export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { ElevenLabsStt, type ElevenLabsSttOptions } from './stt/elevenlabs-stt.ts'
export { ElevenLabsTts, type ElevenLabsTtsOptions } from './tts/elevenlabs-tts.ts'
