import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configure, tableOf, type Configuration } from './configuration.ts'
import { risks } from './start-command.ts'
import { startSettings, variables } from './settings.ts'

type Variables = Readonly<Record<string, string>>

const read = (
  flags: Variables,
  environment: Variables = {},
  file: Variables = {},
): Configuration<typeof startSettings> =>
  configure(startSettings, { flags, environment, file, known: variables })

describe('the configuration', () => {
  it('[HO28] takes an option before the environment, the environment before .env, and .env before the default', () => {
    const file = { PORT: '1', ENDWELL_LOG: 'warn', ENDWELL_DATA: '/file' }
    const environment = { PORT: '2', ENDWELL_LOG: 'error', ENDWELL_WORKERS: '' }
    const { values, rows, mistakes } = read({ port: '3' }, environment, file)
    expect(mistakes).toEqual([])
    expect(values).toMatchObject({ port: 3, log: 'error', data: '/file', workers: 1 })
    const source = Object.fromEntries(rows.map((row) => [row.setting, row.source]))
    expect(source).toMatchObject({ port: 'flag', log: 'environment', data: '.env', workers: 'default' })
    expect(source).toMatchObject({ 'public-url': 'not set' })
  })

  it('[HO28] has milliseconds, megabytes and lists of names', () => {
    const flags = {
      'drain-timeout': '90s',
      'close-timeout': '2.5s',
      retention: '7d',
      'memory-limit': '1.5GB',
      name: 'a.example.com, B.example.com',
      'public-url': 'https://phone.example.com/',
    }
    expect(read(flags).values).toMatchObject({
      drainTimeout: 90_000,
      closeTimeout: 2_500,
      retention: 604_800_000,
      memoryLimit: 1_536,
      names: ['a.example.com', 'b.example.com'],
      publicUrl: 'https://phone.example.com',
    })
  })

  it('[CL16] reads a price list from a file, and says what is wrong with it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-prices-'))
    const path = join(folder, 'prices.json')
    const list = { currency: 'EUR', products: { 'acme/voice': { characters: 0.001 } } }
    writeFileSync(path, JSON.stringify(list))
    expect(read({ prices: path })).toMatchObject({ mistakes: [], values: { priceList: list } })
    writeFileSync(path, JSON.stringify({ currency: 'euro', products: {} }))
    expect(read({}, { ENDWELL_PRICES: path }).mistakes).toEqual([
      'ENDWELL_PRICES in the environment must be a file of JSON with prices (its price list: currency must be a code of ' +
        `three letters, such as USD or EUR), not '${path}'`,
    ])
    rmSync(folder, { recursive: true })
    expect(read({ prices: path }).mistakes[0]).toContain(
      '--prices must be a file of JSON with prices (ENOENT',
    )
  })

  it('[HO28] reports every mistake at once, with the name of the setting and where it came from', () => {
    const { mistakes } = read(
      { log: 'wran', 'drain-timeout': '600', host: 'localhost:80', 'while-away': '' },
      { PORT: '99999', ENDWELL_SECRET: 'short', DATABASE_URL: 'mysql://u:password@h/d' },
      { PUBLIC_URL: 'phone.example.com', ENDWELL_NAMES: 'https://x', ENDWELL_MAXCALLS: '5' },
    )
    expect(mistakes).toEqual([
      "PORT in the environment must be a whole number from 0 to 65535, not '99999'",
      "--host must be an address such as 127.0.0.1 or 0.0.0.0, without a port, not 'localhost:80'",
      "PUBLIC_URL in .env must be a URL such as https://phone.example.com, not 'phone.example.com'",
      "ENDWELL_NAMES in .env must be host names such as phone.example.com, without a scheme and a port, not 'https://x'",
      'ENDWELL_SECRET in the environment must have 16 characters or more; it has 5: use 32 random bytes',
      'DATABASE_URL in the environment must look like postgres://user:password@host:5432/database',
      "--drain-timeout must be a time with its unit, such as 500ms, 30s, 10m, 2h or 30d, not '600'",
      "--while-away must be spool or refuse, not ''",
      "--log must be debug, info, warn, error or none, not 'wran'. Did you mean 'warn'?",
      "ENDWELL_MAXCALLS in .env is not a setting. Did you mean 'ENDWELL_MAX_CALLS'?",
    ])
  })

  it('[HO28] warns of a misspelt variable of the environment, and not of those of other programs', () => {
    const environment = { ENDWELL_WORKRES: '2', ENDWELL_SERVICE_HOST: '10.0.0.1', ENDWELL_PORT_80_TCP: 'x' }
    expect(read({}, environment)).toMatchObject({
      mistakes: [],
      warnings: ["ENDWELL_WORKRES in the environment is not a setting. Did you mean 'ENDWELL_WORKERS'?"],
    })
  })

  it('[HO28] is printed without its secrets', () => {
    const { rows } = read(
      { 'database-url': 'postgres://calls:hunter2@db.internal/calls?password=hunter2' },
      { ENDWELL_SECRET: 'correct horse battery', TWILIO_AUTH_TOKEN: 'hunter2hunter2' },
    )
    const table = tableOf(rows).join('\n')
    expect(table).toMatch(/^database-url +postgres:\/\/calls@db\.internal\/calls +flag$/m)
    expect(table).toMatch(/^secret +\*\*\* \(21 characters\) +environment$/m)
    expect(table + JSON.stringify(rows)).not.toMatch(/hunter2|correct/)
  })

  it('[HO28] warns of what hardly works as intended', () => {
    expect(risks(read({}).values)).toEqual([])
    const open = { host: '0.0.0.0', 'public-url': 'http://phone.example.com' }
    expect(risks(read(open).values)).toEqual([
      expect.stringMatching(/^listening on 0\.0\.0\.0 without ENDWELL_SECRET: /),
      expect.stringMatching(/^PUBLIC_URL is set without ENDWELL_SECRET: /),
      expect.stringMatching(/^http:\/\/phone\.example\.com is not encrypted: /),
    ])
    const database = { DATABASE_URL: 'postgres://db/calls' }
    expect(risks(read({}, database).values)).toEqual([
      expect.stringContaining('ENDWELL_SECRET'),
      expect.stringContaining('--private-host'),
    ])
    const safe = { ENDWELL_SECRET: '0123456789abcdef', ENDWELL_PRIVATE_HOST: '10.0.0.5', ...database }
    expect(risks(read({ host: '0.0.0.0' }, safe).values)).toEqual([])
  })
})
