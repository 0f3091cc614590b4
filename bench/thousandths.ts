/** For `JSON.stringify`: rounds numbers to three digits. */
export function thousandths(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}
