/** The field where its value is known, nothing where it is not: absent is how "not known" is said. */
export function present<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
