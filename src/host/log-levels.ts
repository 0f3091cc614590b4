/** The levels of a log, from the lowest to the highest. `none` logs nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'none'] as const

export type Level = (typeof logLevels)[number]

export function isLevel(text: string): text is Level {
  return logLevels.some((level) => level === text)
}

/** Whether a message of level `own` is written to a log of level `level`. */
export function isLogged(own: Level, level: Level): boolean {
  return logLevels.indexOf(own) >= logLevels.indexOf(level)
}
