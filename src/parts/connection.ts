export type { ConnectionReport } from '../link/index.ts'
