import { useEffect, useState } from 'preact/hooks'
import { systemClock, type Timer } from '../../../src/scope/index.ts'

/** Renders the component again every `ms` milliseconds while `on`, after calling `work`. */
export function useTick(ms: number, on = true, work?: () => void): void {
  const [, setCount] = useState(0)
  useEffect(() => {
    if (!on) return undefined
    let timer: Timer | undefined
    const arm = (): void => {
      timer = systemClock.after(ms, 'next render', () => {
        work?.()
        setCount((count) => count + 1)
        arm()
      })
    }
    arm()
    return () => timer?.clear()
  }, [ms, on, work])
}
