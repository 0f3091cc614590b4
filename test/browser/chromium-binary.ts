import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

const require = createRequire(import.meta.url)
const chromium = join(dirname(require.resolve('@sparticuz/chromium')), '..', '..')
const cache = join(chromium, '..', '..', '.cache')

/**
 * The path of Chromium's binary, unpacked into `node_modules/.cache` on first use. The package itself would unpack it
 * into the system's temporary folder, where it collides with the copies of other users and other versions.
 */
export async function chromiumBinary(): Promise<string> {
  const { version } = require(join(chromium, 'package.json')) as { readonly version: string }
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) await unpackInto(folder)
  return join(folder, 'chromium')
}

/** Several processes may unpack at once. The first to finish moves its copy into place as a whole. */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(`${folder}-`)
  try {
    await pipeline(
      createReadStream(join(chromium, 'bin', 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(own, 'chromium'), { mode: 0o755 }),
    )
    await rename(own, folder)
  } catch (error) {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
