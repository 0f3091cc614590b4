import { withExtra, type Extra } from './extra.ts'

type QueryValue = string | number | boolean

/** The query parameters of a URL, with `extra` merged last. A list is one parameter per entry; undefined is left out. */
export function queryString(parameters: Extra, extra?: Extra): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(withExtra(parameters, extra)))
    for (const each of [value ?? []].flat() as readonly QueryValue[]) query.append(name, String(each))
  return query.toString()
}
