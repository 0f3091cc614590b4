/** The parameters of a REST request: a form, as Twilio takes it, or JSON, as Telnyx does. */
export class RestFields {
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(body: string) {
    this.#values = body.trimStart().startsWith('{') ? readJson(body) : readForm(body)
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  /** The value as a number, or the default if it is missing. */
  number(name: string, otherwise: number): number {
    const value = this.get(name)
    return value === undefined ? otherwise : Number(value)
  }
}

function readForm(body: string): Map<string, string[]> {
  const form = new URLSearchParams(body)
  return new Map([...form.keys()].map((name) => [name, form.getAll(name)]))
}

function readJson(body: string): Map<string, string[]> {
  try {
    const entries = Object.entries(JSON.parse(body) as Record<string, unknown>)
    return new Map(
      entries.map(([name, value]) => [
        name,
        (Array.isArray(value) ? value : [value]).map((each) => String(each)),
      ]),
    )
  } catch {
    return new Map()
  }
}
