import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Changes } from '../../testing/servers/changes.ts'
import { fingerprintOf } from './fingerprint.ts'
import { WatchedFiles } from './watched-files.ts'

/** Watches files in a folder of the test. */
function watch(...names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-watch-'))
  const path = (name: string): string => join(folder, name)
  const changes = new Changes()
  const reports: string[][] = []
  const failures: string[] = []
  const watched = new WatchedFiles({
    changed: (paths) => {
      reports.push(paths.map((each) => basename(each)).toSorted())
      changes.notify()
    },
    failed: (place) => {
      failures.push(place)
      changes.notify()
    },
  })
  onTestFinished(() => {
    watched.close()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const name of names) {
    writeFileSync(path(name), name)
    watched.add({ path: path(name), fingerprint: fingerprintOf(path(name)) })
  }
  const report = async (nth: number): Promise<string[]> => {
    await changes.until(() => reports.length >= nth)
    return reports[nth - 1]!
  }
  return { path, watched, report, reports, failures }
}

describe('watched files', () => {
  it('[RL4] report a file that was written or replaced, and several in one report', async () => {
    const { path, report } = watch('a.js', 'b.js')
    writeFileSync(path('a.js'), 'changed')
    expect(await report(1)).toEqual(['a.js'])
    writeFileSync(path('temporary'), 'replaced')
    renameSync(path('temporary'), path('a.js'))
    writeFileSync(path('b.js'), 'changed')
    expect(await report(2)).toEqual(['a.js', 'b.js'])
    // The folder is watched, and not the file that is gone.
    writeFileSync(path('a.js'), 'again')
    expect(await report(3)).toEqual(['a.js'])
  })

  it('[RL4] do not report a file with the same content, or one that was not loaded', async () => {
    const { path, report } = watch('a.js', 'b.js')
    utimesSync(path('a.js'), 1, 1)
    writeFileSync(path('a.js'), 'a.js')
    writeFileSync(path('other.js'), 'other')
    writeFileSync(path('b.js'), 'changed')
    expect(await report(1)).toEqual(['b.js'])
  })

  it('[RL4] report a file that has vanished, and its return', async () => {
    const { path, report } = watch('a.js')
    rmSync(path('a.js'))
    expect(await report(1)).toEqual(['a.js'])
    writeFileSync(path('a.js'), 'a.js')
    expect(await report(2)).toEqual(['a.js'])
  })

  it('[RL4] report a file that has changed between its loading and its watching', async () => {
    const { path, watched, report } = watch('a.js')
    writeFileSync(path('b.js'), 'loaded')
    const fingerprint = fingerprintOf(path('b.js'))
    writeFileSync(path('b.js'), 'changed')
    watched.add({ path: path('b.js'), fingerprint })
    expect(await report(1)).toEqual(['b.js'])
  })

  it('[RL2] report any module beside them, after something could not be loaded', async () => {
    const { path, watched, report } = watch('a.js')
    watched.eager = true
    writeFileSync(path('notes.txt'), 'no module')
    writeFileSync(path('missing.ts'), 'here it is')
    expect(await report(1)).toEqual(['missing.ts'])
  })

  it('[RL4] forget those that the next version has not loaded, and their folders', async () => {
    const { path, watched, report } = watch('a.js')
    mkdirSync(path('old'))
    writeFileSync(path('old/b.js'), 'b')
    watched.add({ path: path('old/b.js'), fingerprint: fingerprintOf(path('old/b.js')) })
    watched.keep(new Set([path('a.js')]))
    writeFileSync(path('old/b.js'), 'changed')
    writeFileSync(path('a.js'), 'changed')
    expect(await report(1)).toEqual(['a.js'])
  })

  it('say which folder cannot be watched, and watch the others', async () => {
    const { path, watched, report, failures } = watch('a.js')
    watched.add({ path: path('missing/b.js'), fingerprint: '' })
    expect(failures).toEqual([path('missing')])
    writeFileSync(path('a.js'), 'changed')
    expect(await report(1)).toEqual(['a.js'])
  })
})
