import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Stage } from './stage.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-page-'))
  mkdirSync(join(folder, 'page/assets'), { recursive: true })
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'page/icon.svg'), '<svg/>')
  writeFileSync(join(folder, 'page/assets/index-B4jugf4r.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'nobody may read this')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Requests a path exactly as given. `fetch` would normalise it. */
const statusOf = ({ server }: Stage, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ port: server.port, host: '127.0.0.1', path }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

describe('the page of a host', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/assets/index-B4jugf4r.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  ])('serves %s with its content type and caching headers', async (path, type, cache) => {
    await using stage = await Stage.open({ page: join(folder, 'page') })
    const response = await stage.fetch(path)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('cache-control')).toBe(cache)
    await response.text()
    const again = await stage.fetch(path, { headers: { 'if-none-match': response.headers.get('etag')! } })
    expect(again.status).toBe(304)
  })

  it('is compressed for clients that accept gzip', async () => {
    await using stage = await Stage.open({ page: join(folder, 'page') })
    const packed = await stage.fetch('/', { headers: { 'accept-encoding': 'gzip' } })
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', '<!doctype html>'])
    const plain = await stage.fetch('/', { headers: { 'accept-encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, '<!doctype html>'])
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
    '/index.html/',
    '/assets',
    '/toString',
  ])('responds with 404 to %s', async (path) => {
    await using stage = await Stage.open({ page: join(folder, 'page') })
    expect(await statusOf(stage, path)).toBe(404)
  })

  it('must exist when the host is created', async () => {
    await expect(Stage.open({ page: join(folder, 'nowhere') })).rejects.toThrow('build it first')
    await expect(Stage.open({ page: folder })).rejects.toThrow('no index.html')
  })
})
