export { drain } from './drain.ts'
export { FaultError, Faults, type Fault } from './faults.ts'
export { LeakError, noLeaks } from './no-leaks.ts'
export { SimClock } from './sim-clock.ts'
export { SimNetwork, type Manners, type Peer } from './sim-network.ts'
export { SimRandom } from './sim-random.ts'
export {
  inVirtualTime,
  simulate,
  type Life,
  type SimulateOptions,
  type Violation,
  type World,
} from './simulate.ts'
export { Trace } from './trace.ts'
