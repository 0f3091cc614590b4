/** Calls `interrupt` at each Ctrl-C, and `hangUp` at the other signals that end a process. */
export function onSignals(interrupt: () => void, hangUp: () => void): void {
  process.on('SIGINT', interrupt)
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, hangUp)
}
