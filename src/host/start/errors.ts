import { EndwellError } from '../../scope/index.ts'

/** The given file is not a valid agent file. */
export class AgentFileError extends EndwellError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super('AGENT_FILE', `${file} ${problem}`, options)
  }
}

/** An agent file needs packages that are not installed. The message has the command that installs all of them. */
export class PackagesMissingError extends EndwellError {
  readonly packages: readonly string[]

  constructor(file: string, packages: readonly string[], options?: ErrorOptions) {
    const [what, are] = packages.length === 1 ? ['the package', 'is'] : ['the packages', 'are']
    const note = packages.includes('tsx')
      ? ' (tsx runs TypeScript, which Node 22.18 or later does itself)'
      : ''
    const problem = `${file} needs ${what} ${listed(packages)}, which ${are} not installed${note}`
    super('PACKAGES_MISSING', `${problem}. Run: npm install ${packages.join(' ')}`, options)
    this.packages = packages
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
