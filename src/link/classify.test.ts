import { describe, expect, it } from 'vitest'
import type { SocketEnd } from '../scope/index.ts'
import { classify } from './classify.ts'
import type { EndClass } from './link-end.ts'

describe('the default class of a socket end', () => {
  it.each<[SocketEnd, EndClass]>([
    [{ how: 'closed', code: 1000 }, 'dropped'],
    [{ how: 'closed', code: 1001 }, 'dropped'],
    [{ how: 'closed', code: 1005 }, 'dropped'],
    [{ how: 'dropped', code: 1006 }, 'dropped'],
    [{ how: 'closed', code: 1011 }, 'dropped'],
    [{ how: 'closed', code: 1012 }, 'dropped'],
    [{ how: 'closed', code: 4_000 }, 'dropped'],
    [{ how: 'closed', code: 1002 }, 'fatal'],
    [{ how: 'closed', code: 1007 }, 'fatal'],
    [{ how: 'closed', code: 1008 }, 'fatal'],
    [{ how: 'closed', code: 1009 }, 'fatal'],
    [{ how: 'refused' }, 'refused'],
    [{ how: 'refused', status: 429 }, 'refused'],
    [{ how: 'refused', status: 500 }, 'refused'],
    [{ how: 'refused', status: 503 }, 'refused'],
    [{ how: 'refused', status: 301 }, 'fatal'],
    [{ how: 'refused', status: 400 }, 'fatal'],
    [{ how: 'refused', status: 401 }, 'fatal'],
    [{ how: 'refused', status: 403 }, 'fatal'],
    [{ how: 'refused', status: 404 }, 'fatal'],
    [{ how: 'aborted' }, 'asked'],
  ])('[LK2] of %j is %s', (end, expected) => {
    expect(classify(end)).toBe(expected)
  })
})
