/** Commands in texts of the Worker, as the operator of this service types them. */

/** The program that runs them, in the build for the package. No other build defines it: there they are scripts of the checkout. */
declare const INSTALLED_AS: string

/** @param words the options */
export const commandText = (name: 'start' | 'token' | 'history', words: string): string =>
  typeof INSTALLED_AS === 'undefined'
    ? `npm ${name === 'start' ? name : `run ${name}`} -- ${words}`
    : `${INSTALLED_AS} ${name} ${words}`
