import { describe, expect, it } from 'vitest'

import { startSettings, variables } from '../../src/cli/settings.ts'
import { metricTable } from '../../src/host/watch/metric-table.ts'
import { limits } from '../../src/host/supervisor/limits.ts'
import { blocksOf } from './markdown.ts'
import { paths, read, sources } from './tree.ts'

const page = read('docs/deploy.md')
const files = sources(/^deploy\//)

/** The milliseconds of a time such as `10m`, `12min`, `720s` or `15 s`. */
function time(text: string): number {
  const [, amount, unit = ''] = /^(\d+) ?(s|m|min|h)$/.exec(text) ?? []
  if (amount === undefined) throw new Error(`'${text}' is not a time`)
  return Number(amount) * { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }[unit as 's']
}

const find = (path: string, pattern: RegExp): string => {
  const found = pattern.exec(read(path))?.[1]
  if (found === undefined) throw new Error(`${path} does not match ${pattern}`)
  return found
}

describe('docs/deploy.md', () => {
  it('shows the files of deploy/ that it names unchanged, among them those that npm run proxies runs', () => {
    const shown = blocksOf(page).blocks.flatMap(({ before, text }) => {
      const [, path] = /^<!--\s*(deploy\/\S+)\s*-->$/.exec(before) ?? []
      return path === undefined ? [] : [{ path, text: text.trim() }]
    })
    expect(shown.map(({ path }) => path)).toEqual([
      'deploy/endwell.service',
      'deploy/nginx.conf',
      'deploy/Caddyfile',
    ])
    for (const { path, text } of shown) expect(text, path).toBe(read(path).trim())
  })

  it('names only metrics that exist', () => {
    const metrics = new Set(Object.values(metricTable).map(({ name }): string => name))
    const names = [...page.matchAll(/\bendwell_[a-z_]+/g)].map(([name]) => name)
    expect(names.length).toBeGreaterThan(8)
    expect(names.filter((name) => !metrics.has(name))).toEqual([])
  })
})

describe('the files of deploy/', () => {
  it('set only variables that endwell knows', () => {
    const texts = [...files, { path: 'docs/deploy.md', text: page }]
    const unknown = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:ENDWELL|TWILIO)_[A-Z_]+\b/g)]
        .filter(([name]) => !variables.includes(name))
        .map(([name]) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('listen on the default port', () => {
    const port = startSettings.port.default
    for (const path of [
      'Dockerfile',
      'compose.yaml',
      'kubernetes/deployment.yaml',
      'nginx.conf',
      'Caddyfile',
    ])
      expect(read(`deploy/${path}`), path).toContain(port)
  })

  it('[HO3] give a host more time than the longest drain takes', () => {
    const drain = (path: string): number =>
      time(find(path, /ENDWELL_DRAIN_TIMEOUT(?::\s+|\n\s+value: )(\w+)/))
    const close = time(startSettings.closeTimeout.default ?? '')
    // Workers, then the work worker, then the journal.
    const after = limits.goodbye + 2 * (close + limits.exit + limits.kill) + close
    const compose = 'deploy/compose.yaml'
    expect(time(find(compose, /stop_grace_period: (12\w+)/))).toBeGreaterThan(drain(compose) + after)
    const pod = 'deploy/kubernetes/deployment.yaml'
    const preStop = time(`${find(pod, /command: \[sleep, '(\d+)'\]/)}s`)
    const grace = time(`${find(pod, /terminationGracePeriodSeconds: (\d+)/)}s`)
    expect(grace).toBeGreaterThan(preStop + drain(pod) + after)
    const unit = time(find('deploy/endwell.service', /TimeoutStopSec=(\w+)/))
    expect(unit).toBeGreaterThan(time(startSettings.drainTimeout.default ?? '') + after)
  })

  it('keep secrets out of the image', () => {
    expect(read('deploy/.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env*', 'node_modules']),
    )
  })

  it('are resources of the kustomization, all of them', () => {
    const listed = [...read('deploy/kubernetes/kustomization.yaml').matchAll(/^ {2}- (\S+\.yaml)$/gm)]
    const manifests = paths('deploy/kubernetes').map((path) => path.replace('deploy/kubernetes/', ''))
    expect([...listed.map(([, name = '']) => name), 'kustomization.yaml'].toSorted()).toEqual(manifests)
  })
})
