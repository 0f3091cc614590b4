export interface Results {
  readonly passed: number
  /** Each failure: which test, and why. */
  readonly failed: readonly string[]
}

/** What is read of vitest's JSON report. */
interface Report {
  readonly numPassedTests: number
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/** Reads a JSON report of vitest. Without one, or if it names no failure, what vitest printed is the failure. */
export function readResults(read: () => string, printed: string, root: string): Results {
  let report: Report
  try {
    report = JSON.parse(read()) as Report
  } catch {
    return { passed: 0, failed: [printed.trim()] }
  }
  const failed = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const path = name.replace(root, '')
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    if (tests.length === 0 && message !== '') return [`${path}\n${message}`]
    return tests.map(
      ({ fullName, failureMessages = [] }) => `${path} > ${fullName}\n${failureMessages.join('\n')}`,
    )
  })
  if (failed.length === 0 && !report.success)
    return { passed: report.numPassedTests, failed: [printed.trim()] }
  return { passed: report.numPassedTests, failed }
}
