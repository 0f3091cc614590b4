import { useEffect, useRef, type ReactElement } from 'react'
import { drawSound } from './sound-levels.ts'
import type { CallHandle } from './use-call.ts'

export interface CallVisualizerLabels {
  readonly idle: string
  readonly listening: string
  readonly speaking: string
}

export interface CallVisualizerProps {
  /** The result of `useCall`. */
  readonly call: Pick<CallHandle, 'call' | 'state' | 'speaking' | 'muted'>
  /** How many bars there are. Default: 7. */
  readonly bars?: number
  /** What it shows, for screen readers. Default: English. */
  readonly labels?: Partial<CallVisualizerLabels>
  readonly className?: string
}

const english: CallVisualizerLabels = {
  idle: 'No sound',
  listening: 'The agent is listening',
  speaking: 'The agent is speaking',
}

/**
 * Bars that move with the real sound of the call: the agent's while the agent speaks, otherwise the caller's. They are drawn
 * without rendering the component again, as fast as the screen, or twice per second for people who do not want motion.
 */
export function CallVisualizer({
  call,
  bars = 7,
  labels,
  className = '',
}: CallVisualizerProps): ReactElement {
  const { call: current, state, speaking, muted } = call
  const texts = { ...english, ...labels }
  const box = useRef<HTMLDivElement>(null)
  const shows = state !== 'live' ? 'idle' : speaking ? 'speaking' : 'listening'
  useEffect(() => {
    if (!current || state !== 'live') return undefined
    const elements = [...box.current!.children] as HTMLElement[]
    const stop = drawSound(current, bars, (heights) => {
      for (const [index, element] of elements.entries())
        element.style.setProperty('--endwell-level', heights[index]!.toFixed(3))
    })
    return () => {
      stop()
      for (const element of elements) element.style.removeProperty('--endwell-level')
    }
  }, [current, state, bars])
  return (
    <div
      className={`endwell-visualizer ${className}`.trim()}
      ref={box}
      role="img"
      aria-label={texts[shows]}
      data-shows={shows}
      data-muted={muted}
    >
      {Array.from({ length: bars }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}
