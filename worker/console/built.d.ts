/** The list that the build writes; declared, so that types can be checked before anything is built. */
declare module '*/dist/assets.json' {
  const addresses: { readonly style: string; readonly console: string; readonly editor: string }
  export default addresses
}
