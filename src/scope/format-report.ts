import type { ScopeReport } from './report.ts'
export interface FormatOptions {
  width?: number
}
export function formatReport(report: ScopeReport): string {
  return report.name
}
