/** The query parameters of a URL. A list becomes one parameter per entry; undefined ones are left out. */
export type QueryParameters = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

export type QueryValue = string | number | boolean

export function queryString(parameters: QueryParameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value ?? []].flat()) query.append(name, String(each))
  return query.toString()
}
