import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { Questions } from './questions.ts'

function asked(): { questions: Questions; input: PassThrough; output: PassThrough } {
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')]
  const questions = new Questions(input, output)
  onTestFinished(() => questions.close())
  return { questions, input, output }
}

it('takes an empty answer as the default', async () => {
  const { questions, input, output } = asked()
  const name = questions.text('Name', 'front-desk')
  input.write('\n')
  expect(await name).toBe('front-desk')
  expect(output.read()).toBe('Name (front-desk): ')
})

it('asks again until the answer is one of the choices', async () => {
  const { questions, input, output } = asked()
  const line = questions.choice('Who calls?', ['browser', 'phone'])
  input.write('fax\n')
  input.write(' Phone \n')
  expect(await line).toBe('phone')
  expect(output.read()).toBe('Who calls? browser, phone (browser): '.repeat(2))
})
