export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError } from '../errors.ts'
export { DeepgramStt, type DeepgramSttOptions } from './deepgram-stt.ts'
export { DeepgramFluxStt, type DeepgramFluxSttOptions } from './deepgram-flux-stt.ts'
