import type { Archive } from '../archive.ts'
import type { Directory } from './directory.ts'
import type { FleetDials } from './fleet-dials.ts'
import type { FleetWrites } from './fleet-writes.ts'
import type { Operations } from './operations.ts'

/** The calls of all processes that share a journal. */
export interface Fleet {
  readonly archive: Archive
  readonly directory: Directory
  readonly dials: FleetDials
  readonly writes: FleetWrites
  readonly operations: Operations
}
