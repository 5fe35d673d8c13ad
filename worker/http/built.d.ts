/** Declares the list of assets that the build writes, so that types can be checked before the build. */
declare module '*/dist/assets.json' {
  const addresses: Readonly<Record<'style' | 'console' | 'editor', string>>
  export default addresses
}
