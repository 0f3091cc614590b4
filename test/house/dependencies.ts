/** What is read of package-lock.json. */
export interface Lockfile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly engines?: { readonly node?: string } | readonly string[]
        readonly hasInstallScript?: boolean
      }
    >
  >
}

/** Packages that do not support a version of Node: `npm ci` would warn about each of them. */
export function unsupported({ packages }: Lockfile, version: string): string[] {
  return Object.entries(packages).flatMap(([path, { engines }]) => {
    const range = engines && 'node' in engines ? engines.node : undefined
    return range === undefined || allows(range, version) ? [] : [`${path} needs Node ${range}`]
  })
}

/** Packages with an install script that package.json neither allows nor denies: `npm ci` would warn about each of them. */
export function unreviewedScripts(
  { packages }: Lockfile,
  allowScripts: Readonly<Record<string, boolean>>,
): string[] {
  return Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.split('node_modules/').at(-1) ?? '')
    .filter((name) => !Object.hasOwn(allowScripts, name))
}

/** Whether a range like `^20.19 || >=22` includes a version. Knows only the operators that `engines` fields use. */
function allows(range: string, version: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', wanted = ''] = /^\s*(>=|\^|)\s*([\d.*x]*)\s*$/.exec(part) ?? [undefined, '?']
    if (operator === '?') throw new Error(`cannot read the range '${range}'`)
    const [numbers, ours] = [numbersOf(wanted), numbersOf(version)]
    // Without an operator, and with a caret, the first number has to be the same.
    if (operator !== '>=' && numbers.length > 0 && numbers[0] !== ours[0]) return false
    return compare(ours, numbers) >= 0
  })
}

const numbersOf = (version: string): number[] =>
  version
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number)

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, number] of b.entries()) if (a[index] !== number) return (a[index] ?? 0) - number
  return 0
}
