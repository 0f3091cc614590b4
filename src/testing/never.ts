/** Returns a promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => {})
}
