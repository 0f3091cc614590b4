import { withExtra, type Extra } from './extra.ts'

/** The query parameters of a URL, with `extra` merged last. A list is one parameter per entry; undefined is left out. */
export function queryString(parameters: Extra, extra?: Extra): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(withExtra(parameters, extra))) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const each of values) if (each !== undefined) query.append(name, each as string)
  }
  return query.toString()
}
