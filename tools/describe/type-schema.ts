/** TypeScript types → JSON Schema. Named interfaces become schemas of their own, which others refer to. */

import ts from 'typescript'

type Schema = Readonly<Record<string, unknown>>

export class TypeSchemas {
  /** Schemas of named interfaces, by name. */
  readonly named: Record<string, Schema> = {}
  readonly #checker: ts.TypeChecker

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  /** @throws Error for a type that has no values in JSON, such as a function */
  schemaOf(type: ts.Type): Schema {
    const { flags } = type
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
    // A recursive type, which can be anything.
    if (type.aliasSymbol?.name === 'Json') return {}
    if (type.isUnion()) return this.#unionOf(type)
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { const: this.#checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.StringLike) return { type: 'string' }
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' }
    if (flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' }
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (this.#checker.isTupleType(type)) return this.#tupleOf(type)
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'array', items: this.schemaOf(item!) }
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#objectOf(type)
    throw new Error(`${this.#checker.typeToString(type)} has no values in JSON.`)
  }

  #unionOf({ types }: ts.UnionType): Schema {
    const nullable = types.some(({ flags }) => flags & ts.TypeFlags.Null)
    const others = types.filter(
      ({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)),
    )
    const schema = this.#alternativesOf(others)
    if (!nullable) return schema
    if (Array.isArray(schema['enum'])) return { enum: [...(schema['enum'] as unknown[]), null] }
    return typeof schema['type'] === 'string'
      ? { ...schema, type: [schema['type'], 'null'] }
      : { anyOf: [schema, { type: 'null' }] }
  }

  #alternativesOf(types: readonly ts.Type[]): Schema {
    if (types.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral) && types.length === 2)
      return { type: 'boolean' }
    if (types.length === 1) return this.schemaOf(types[0]!)
    if (types.every((type) => type.isStringLiteral()))
      return { type: 'string', enum: types.map((type) => type.value) }
    return { anyOf: types.map((type) => this.schemaOf(type)) }
  }

  #tupleOf(type: ts.Type): Schema {
    const items = this.#checker.getTypeArguments(type as ts.TypeReference)
    return {
      type: 'array',
      prefixItems: items.map((item) => this.schemaOf(item)),
      minItems: items.length,
      maxItems: items.length,
    }
  }

  #objectOf(type: ts.Type): Schema {
    const printed = type.getProperty('toJSON')
    if (printed) return this.schemaOf(this.#resultOf(this.#checker.getTypeOfSymbol(printed)))
    const name = nameOf(type)
    if (name === null) return this.#propertiesOf(type)
    if (!Object.hasOwn(this.named, name)) {
      // A type may contain itself.
      this.named[name] = {}
      const description = this.#descriptionOf(type.aliasSymbol ?? type.symbol)
      this.named[name] = { ...description, ...this.#propertiesOf(type) }
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #propertiesOf(type: ts.Type): Schema {
    const properties = this.#checker.getPropertiesOfType(type)
    const isOptional = (one: ts.Symbol): boolean => (one.flags & ts.SymbolFlags.Optional) !== 0
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((one) => [
          one.name,
          { ...this.#descriptionOf(one), ...this.schemaOf(this.#checker.getTypeOfSymbol(one)) },
        ]),
      ),
      required: properties.filter((one) => !isOptional(one)).map(({ name }) => name),
    }
  }

  #resultOf(type: ts.Type): ts.Type {
    return type.getCallSignatures()[0]!.getReturnType()
  }

  #descriptionOf(symbol: ts.Symbol | undefined): Schema {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.#checker))
    return text === '' ? {} : { description: text.replace(/\s+/g, ' ') }
  }
}

/** The name of a type that is declared as one thing; null for types made of others, and for generic ones. */
function nameOf(type: ts.Type): string | null {
  if (type.aliasSymbol && !type.aliasTypeArguments) return type.aliasSymbol.name
  const isInterface = ((type as ts.ObjectType).objectFlags ?? 0) & ts.ObjectFlags.Interface
  return isInterface && type.symbol ? type.symbol.name : null
}
