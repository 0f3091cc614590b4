export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export { CartesiaTts, type CartesiaTtsOptions } from './cartesia-tts.ts'
