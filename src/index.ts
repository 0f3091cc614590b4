export * from './scope/index.ts'
