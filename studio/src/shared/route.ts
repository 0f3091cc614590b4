/** The view that is open. It is the part of the address after `#`, so that every view has a link. */
export type Route =
  | { readonly view: 'call' }
  /** `search` has the filters of the list, as in the query of a URL. */
  | { readonly view: 'sessions'; readonly search: string }
  | { readonly view: 'session'; readonly id: string }
  | { readonly view: 'comparison'; readonly ids: readonly [string, string] }

export function routeOf(hash: string): Route {
  const [, one, other] = /^#\/compare\/([^/]+)\/([^/]+)$/.exec(hash) ?? []
  if (one !== undefined && other !== undefined)
    return { view: 'comparison', ids: [decoded(one), decoded(other)] }
  const [, id] = /^#\/sessions\/([^/]+)$/.exec(hash) ?? []
  if (id !== undefined) return { view: 'session', id: decoded(id) }
  const [list, search = ''] = /^#\/sessions(?:\?(.*))?$/.exec(hash) ?? []
  return list === undefined ? { view: 'call' } : { view: 'sessions', search }
}

export const linkTo = (id: string): string => `#/sessions/${encodeURIComponent(id)}`

export const linkToList = (search: string): string => (search === '' ? '#/sessions' : `#/sessions?${search}`)

export const linkToComparison = (one: string, other: string): string =>
  `#/compare/${encodeURIComponent(one)}/${encodeURIComponent(other)}`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
