export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError } from '../errors.ts'
export { AssemblyAIStt, type AssemblyAISttOptions } from './assemblyai-stt.ts'
