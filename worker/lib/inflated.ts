/** How many characters were inflated here: a server of one's own collects garbage after so many. */
export const inflated = { characters: 0 }
