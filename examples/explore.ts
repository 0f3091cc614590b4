import assert from 'node:assert/strict'
import { ExplorationError, explore, stateKeys, type Model } from 'endwell/testing'

/** The agent asks whether to book, and waits three seconds for the answer. The caller may have the question repeated. */
interface Question {
  state: 'asked' | 'booked' | 'dropped'
  secondsLeft: number
  repeats: number
}

const keyOf = stateKeys()

const question = (maxRepeats: number): Model<Question, string> => ({
  start: { state: 'asked', secondsLeft: 3, repeats: 0 },
  fork: (world) => ({ ...world }),
  handle(world, event) {
    if (event === 'yes') world.state = 'booked'
    if (event === 'again, please') {
      world.secondsLeft = 3
      if (maxRepeats < Infinity) world.repeats++
    }
    if (event === 'a second passes') world.secondsLeft--
    if (world.secondsLeft === 0) world.state = 'dropped'
    return world.state
  },
  key: ({ state, secondsLeft, repeats }) => keyOf([state, secondsLeft, repeats]),
  moves: {
    yes: ({ state }) => (state === 'asked' ? 'yes' : undefined),
    repeat: ({ state, repeats }) => (state === 'asked' && repeats < maxRepeats ? 'again, please' : undefined),
    second: ({ state }) => (state === 'asked' ? 'a second passes' : undefined),
  },
  fair: ['second'],
  mustEnd: ({ state }) => state === 'asked',
})

// A caller who has the question repeated again and again is never dropped.
try {
  explore(question(Infinity))
} catch (error) {
  assert.ok(error instanceof ExplorationError)
  console.log(`${error.message}\n`)
}

// With a limit, the question ends after seven seconds at most.
console.log(explore(question(2)))
