// What `endwell dev` shares with `endwell start`, and is not public.

export type { HostPrograms } from './start/host-programs.ts'
export { ProductionHost } from './start/production-host.ts'
export { serveCalls } from './start/serve-calls.ts'
export { takeSettings, type WorkerSettings } from './start/worker-settings.ts'
export { WorkerLink } from './supervisor/worker-link.ts'
