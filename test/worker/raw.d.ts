/** The text of a file, as Vite hands it in. */
declare module '*?raw' {
  const text: string
  export default text
}
