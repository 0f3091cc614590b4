export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { CartesiaStt, type CartesiaSttOptions } from './cartesia-stt.ts'
export { CartesiaTts, type CartesiaTtsOptions } from './cartesia-tts.ts'
