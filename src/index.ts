export * from './audio/index.ts'
export * from './parts/index.ts'
export * from './scope/index.ts'
export * from './session/index.ts'
