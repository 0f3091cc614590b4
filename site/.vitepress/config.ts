import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../test/house/markdown.ts'
import type { Section } from '../../tools/docs/contents.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// `npm run docs` writes both: the pages, and the order in which the sidebar lists them.
const sections = JSON.parse(readFileSync(here('../artifacts/sections.json'), 'utf8')) as Section[]
const [guides, api] = [
  sections.filter(({ title }) => title !== 'API'),
  sections.filter(({ title }) => title === 'API'),
]
const group = ({ title, pages }: Section) => ({
  text: title,
  items: pages.map((page) => ({ text: page.title, link: `/${page.link.replace(/\.md$/, '')}` })),
})
const repository = 'https://github.com/endwell/endwell'

export default defineConfig({
  title: 'endwell',
  description: 'A TypeScript runtime for realtime voice agents whose sessions always end well',
  lang: 'en',
  base: process.env['DOCS_BASE'] ?? '/',
  srcDir: here('../artifacts'),
  outDir: here('../../artifacts/docs'),
  cacheDir: here('../node_modules/.cache/vitepress'),
  cleanUrls: true,
  lastUpdated: false,
  head: [
    [
      'link',
      {
        rel: 'icon',
        href: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 16h5l3-9 5 18 4-13 2 4h7" fill="none" stroke="%230f766e" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
      },
    ],
  ],
  // The home page of the theme has no main landmark.
  transformHtml: (html) => html.replace(/(class="VPContent is-home" id="VPContent")/, '$1 role="main"'),
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { caddyfile: 'nginx' },
  },
  // The search index is one file, which is loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Guides', link: '/agents' },
      { text: 'API', link: '/reference/' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar: { '/': guides.map(group), '/reference/': api.map(group) },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    socialLinks: [{ icon: 'github', link: repository }],
    externalLinkIcon: true,
  },
})
