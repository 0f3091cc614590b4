/** A state from which the end may never come. */
export interface Trap {
  readonly why: string
  readonly state: number
  /** The moves that lead from the state back to it. Empty if nothing need happen. */
  readonly cycle: readonly number[]
}

export interface Examined {
  readonly endsWithin: number | undefined
  readonly trap: Trap | undefined
}

interface Step {
  readonly to: number
  readonly move: number
  readonly fair: boolean
}

/**
 * The part of a graph of states that has to be left. It is left in bounded time if no state in it can wait forever, and if
 * no cycle in it has a fair step: time would pass, and the end would come no nearer.
 */
export class Endings {
  /** The steps from each state that must be left to another. */
  readonly #steps = new Map<number, Step[]>()
  readonly #expanded = new Set<number>()
  /** States with a fair step, to wherever. */
  readonly #moving = new Set<number>()

  /** Adds a state that must be left. */
  add(state: number): void {
    this.#steps.set(state, [])
  }

  step(from: number, to: number, move: number, fair: boolean): void {
    const steps = this.#steps.get(from)
    if (!steps) return
    if (fair) this.#moving.add(from)
    // A state that is found later is looked up when all are known.
    steps.push({ to, move, fair })
  }

  /** All steps from this state are known. */
  expanded(state: number): void {
    if (this.#steps.has(state)) this.#expanded.add(state)
  }

  examine(): Examined {
    if (this.#steps.size === 0) return { endsWithin: undefined, trap: undefined }
    for (const state of this.#expanded) {
      if (!this.#moving.has(state))
        return { endsWithin: undefined, trap: { why: 'nothing brings the end about', state, cycle: [] } }
    }
    const components = this.#components()
    let endsWithin = 0
    const within = new Map<number, number>()
    for (const states of components) {
      const inside = new Set(states)
      let longest = 0
      for (const state of states) {
        for (const step of this.#steps.get(state)!) {
          if (inside.has(step.to)) {
            if (!step.fair) continue
            const cycle = [step.move, ...this.#path(step.to, state, inside)]
            return { endsWithin: undefined, trap: { why: 'the end can be delayed forever', state, cycle } }
          }
          longest = Math.max(longest, (within.get(step.to) ?? 0) + Number(step.fair))
        }
      }
      for (const state of states) within.set(state, longest)
      endsWithin = Math.max(endsWithin, longest)
    }
    return { endsWithin, trap: undefined }
  }

  /** The strongly connected components, those first that others lead to (Tarjan, without recursion). */
  #components(): number[][] {
    const components: number[][] = []
    const order = new Map<number, number>()
    const low = new Map<number, number>()
    const stack: number[] = []
    const onStack = new Set<number>()
    const work: { readonly state: number; next: number }[] = []
    const enter = (state: number): void => {
      order.set(state, order.size)
      low.set(state, order.get(state)!)
      stack.push(state)
      onStack.add(state)
      work.push({ state, next: 0 })
    }
    for (const root of this.#steps.keys()) {
      if (order.has(root)) continue
      enter(root)
      for (let top = work.at(-1); top; top = work.at(-1)) {
        const { state } = top
        const step = this.#steps.get(state)![top.next++]
        if (step) {
          if (!this.#steps.has(step.to)) continue
          if (!order.has(step.to)) enter(step.to)
          else if (onStack.has(step.to)) low.set(state, Math.min(low.get(state)!, order.get(step.to)!))
          continue
        }
        work.pop()
        const above = work.at(-1)
        if (above) low.set(above.state, Math.min(low.get(above.state)!, low.get(state)!))
        if (low.get(state) !== order.get(state)) continue
        const component = stack.splice(stack.lastIndexOf(state))
        for (const each of component) onStack.delete(each)
        components.push(component)
      }
    }
    return components
  }

  /** The shortest way from one state to another inside a component. */
  #path(from: number, to: number, inside: ReadonlySet<number>): number[] {
    const ways = new Map<number, readonly number[]>([[from, []]])
    for (const [state, way] of ways) {
      if (state === to) return [...way]
      for (const step of this.#steps.get(state)!)
        if (inside.has(step.to) && !ways.has(step.to)) ways.set(step.to, [...way, step.move])
    }
    return []
  }
}
