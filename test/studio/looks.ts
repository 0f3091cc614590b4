/** Where to write screenshots of every view, for people to look at. Default: none are written. */
export const pictures = process.env['STUDIO_PICTURES']

const wide = { width: 1360, height: 900 }
const phone = { width: 390, height: 844 }

/** How the page is looked at: each colour scheme and each size once; every combination if there are pictures of it. */
export const looks = [
  ['light', 'wide', wide],
  ['dark', 'phone', phone],
  ...(pictures === undefined
    ? []
    : ([
        ['dark', 'wide', wide],
        ['light', 'phone', phone],
      ] as const)),
] as const
