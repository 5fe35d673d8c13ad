/** How someone likes their pages: kept in a cookie, chosen by links in the foot of every page. */

export const PREFERENCES = {
  theme: ['system', 'light', 'dark'],
  times: ['UTC', 'local'],
  keys: ['on', 'off'],
} as const
export type PreferenceName = keyof typeof PREFERENCES
export type Preferences = Readonly<Record<PreferenceName, string>>

export const PREFERENCES_COOKIE = 'console'

/** From the cookie's text, such as `theme.dark-times.local`; what it doesn't say is the first of each. */
export function readPreferences(text: string): Preferences {
  const said = new Map(text.split('-').map((pair) => pair.split('.') as [string, string]))
  return Object.fromEntries(
    Object.entries(PREFERENCES).map(([name, values]) => [
      name,
      (values as readonly string[]).find((value) => value === said.get(name)) ?? values[0],
    ]),
  ) as Preferences
}

export const printPreferences = (preferences: Preferences): string =>
  Object.entries(preferences)
    .map(([name, value]) => `${name}.${value}`)
    .join('-')

/** The preferences that the parameters of a link ask for. */
export const changedPreferences = (
  preferences: Preferences,
  parameters: URLSearchParams,
): Preferences =>
  readPreferences(
    printPreferences(
      Object.fromEntries(
        Object.entries(preferences).map(([name, value]) => [name, parameters.get(name) ?? value]),
      ) as Preferences,
    ),
  )
