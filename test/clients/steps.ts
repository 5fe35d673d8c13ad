/** One line a step as it ends, and in the end how many passed. */

const [GREEN, RED, PLAIN] = process.stdout.isTTY
  ? ['\x1b[32m', '\x1b[31m', '\x1b[0m']
  : ['', '', '']

export class Steps {
  #passed = 0
  #failed = 0
  #heading = ''

  /** What stands before the name of each step from now on. */
  under(heading: string): void {
    this.#heading = heading
  }

  /** Carries a step out. An error it throws is its failure; what it returns is said beside its name. */
  async step(name: string, work: () => Promise<string | void> | string | void): Promise<boolean> {
    try {
      const remark = await work()
      this.pass(remark === undefined ? name : `${name} (${remark})`)
      return true
    } catch (error) {
      this.fail(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
  }

  /** Notes a step that passed elsewhere, such as in a program of another language. */
  pass(text: string): void {
    this.#passed++
    console.log(`${GREEN}ok${PLAIN} ${this.#heading}${text}`)
  }

  /** Notes a step that failed elsewhere. */
  fail(text: string): void {
    this.#failed++
    console.log(`${RED}FAILED${PLAIN} ${this.#heading}${oneLine(text)}`)
  }

  /** Says what is left out and why. It counts neither way. */
  skip(text: string): void {
    console.log(`skipped: ${text}`)
  }

  /** Prints the closing line; true when nothing has failed. */
  close(): boolean {
    console.log(`${this.#passed} passed, ${this.#failed} failed`)
    return this.#failed === 0
  }
}

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' | ')
