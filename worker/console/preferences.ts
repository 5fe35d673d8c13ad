/** A reader's preferences. Links in the footer change them, and a cookie stores them. */

export const PREFERENCES = {
  theme: ['system', 'light', 'dark'],
  times: ['UTC', 'local'],
  keys: ['on', 'off'],
} as const
export type PreferenceName = keyof typeof PREFERENCES
export type Preferences = Readonly<Record<PreferenceName, string>>

export const PREFERENCES_COOKIE = 'console'

/** The preferences by their names. Missing and unknown ones get their first value. */
const preferencesOf = (valueOf: (name: PreferenceName) => string | null | undefined): Preferences =>
  Object.fromEntries(
    Object.entries(PREFERENCES).map(([name, values]) => [
      name,
      (values as readonly string[]).find((value) => value === valueOf(name as PreferenceName)) ??
        values[0],
    ]),
  ) as Preferences

/** Reads the cookie's text, such as `theme.dark-times.local`. */
export function readPreferences(text: string): Preferences {
  const stored = new Map(text.split('-').map((pair) => pair.split('.') as [string, string]))
  return preferencesOf((name) => stored.get(name))
}

export const printPreferences = (preferences: Preferences): string =>
  Object.entries(preferences)
    .map(([name, value]) => `${name}.${value}`)
    .join('-')

/** The preferences with the changes that a link's parameters name. */
export const changedPreferences = (
  preferences: Preferences,
  parameters: URLSearchParams,
): Preferences => preferencesOf((name) => parameters.get(name) ?? preferences[name])
