export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { RimeTts, type RimeTtsOptions } from './rime-tts.ts'
