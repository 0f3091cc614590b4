import { readFileSync } from 'node:fs'

export type ProxyName = 'nginx' | 'caddy'

/** The file of each proxy, as the documentation shows it. */
export const files: Readonly<Record<ProxyName, string>> = {
  nginx: 'deploy/nginx.conf',
  caddy: 'deploy/Caddyfile',
}

export const DOMAIN = 'phone.example.com'

export interface Surroundings {
  readonly proxy: number
  readonly host: number
  readonly folder: string
}

/**
 * The file of a proxy as it can run anywhere: on a free loopback port, in front of a host on another one, and without
 * TLS, for which there is no certificate. Everything else is as in the file.
 */
export function forTest(name: ProxyName, surroundings: Surroundings): string {
  const text = readFileSync(new URL(`../../${files[name]}`, import.meta.url), 'utf8')
  return name === 'nginx' ? nginx(text, surroundings) : caddy(text, surroundings)
}

function nginx(text: string, { proxy, host, folder }: Surroundings): string {
  const site = replaceOnce(text, [
    ['listen 443 ssl;', `listen 127.0.0.1:${proxy};`],
    [/ +ssl_certificate .*\n/, ''],
    [/ +ssl_certificate_key .*\n/, ''],
    ['127.0.0.1:4600', `127.0.0.1:${host}`],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  return [
    `daemon off; pid ${folder}/pid; error_log stderr; events {}`,
    `http { access_log off; ${temporary.join(' ')}`,
    site,
    '}',
  ].join('\n')
}

function caddy(text: string, { proxy, host }: Surroundings): string {
  const site = replaceOnce(text, [
    [`${DOMAIN} {`, `http://${DOMAIN}:${proxy} {\n\tbind 127.0.0.1`],
    ['127.0.0.1:4600', `127.0.0.1:${host}`],
  ])
  return `{\n\tadmin off\n\tauto_https off\n}\n${site}`
}

/** Fails unless each text is there exactly once, so that the run cannot drift away from the file. */
function replaceOnce(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    const parts = changed.split(from)
    if (parts.length !== 2) throw new Error(`${from} is in the file ${parts.length - 1} times, not once`)
    return parts.join(to)
  }, text)
}
