import type { IncomingHttpHeaders } from 'node:http'

/** The address under which whoever made a request reaches this server: `publicUrl`, or what a proxy or the request says. */
export function publicAddress(headers: IncomingHttpHeaders, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const host = first(headers['x-forwarded-host']) ?? headers.host ?? 'localhost'
  const secure = first(headers['x-forwarded-proto']) === 'https'
  return `http${secure ? 's' : ''}://${host}`
}

const first = (header: string | string[] | undefined): string | undefined =>
  header?.toString().split(',')[0]?.trim()
