/** Declares the list of assets that the build writes, so that types can be checked before the build. */
declare module '*/dist/assets.json' {
  const addresses: { readonly style: string; readonly console: string; readonly editor: string }
  export default addresses
}
