/** Fields of a vendor's own protocol, for options that the provider does not have. */
export type Extra = Readonly<Record<string, unknown>>

/** What a provider sends, with `extra` merged into it last. Objects are merged field by field; anything else is replaced. */
export function withExtra<T extends object>(sent: T, extra: Extra = {}): T {
  const merged = { ...sent } as Record<string, unknown>
  for (const [name, value] of Object.entries(extra)) {
    const own = merged[name]
    merged[name] = isRecord(own) && isRecord(value) ? withExtra(own, value) : value
  }
  return merged as T
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
