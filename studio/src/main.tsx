import { calls } from './calls.ts'
import { mount } from './mount.tsx'

mount(document.querySelector<HTMLElement>('#app')!, calls)
