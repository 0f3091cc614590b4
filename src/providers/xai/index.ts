export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export type { XaiRealtimeOptions, XaiTranscription, XaiTurnDetection } from './xai-options.ts'
export { XaiRealtime } from './xai-realtime.ts'
