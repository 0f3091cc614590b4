/** The view that is open. It is the part of the address after `#`, so that every view has a link. */
export type Route =
  | { readonly view: 'call' }
  | { readonly view: 'sessions' }
  | { readonly view: 'session'; readonly id: string }
  | { readonly view: 'comparison'; readonly ids: readonly [string, string] }

export function routeOf(hash: string): Route {
  const [, one, other] = /^#\/compare\/([^/]+)\/([^/]+)$/.exec(hash) ?? []
  if (one !== undefined && other !== undefined)
    return { view: 'comparison', ids: [decoded(one), decoded(other)] }
  const [, view, id] = /^#\/(sessions)(?:\/([^/]+))?$/.exec(hash) ?? []
  if (view === undefined) return { view: 'call' }
  return id === undefined ? { view: 'sessions' } : { view: 'session', id: decoded(id) }
}

export const linkTo = (id: string): string => `#/sessions/${encodeURIComponent(id)}`

export const linkToComparison = (one: string, other: string): string =>
  `#/compare/${encodeURIComponent(one)}/${encodeURIComponent(other)}`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
