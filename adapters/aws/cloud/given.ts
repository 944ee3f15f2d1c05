/** The port's inputs as the SDK's: the same fields, whose enumerated words the port has as text. */

type Plain<S> = S extends string
  ? string
  : S extends Uint8Array | Date
    ? S
    : S extends readonly (infer E)[]
      ? Plain<E>[]
      : S extends object
        ? { [K in keyof S]: Plain<S[K]> }
        : S;

/** Names of fields that the SDK would drop in silence. */
type Stray<I, S> = I extends Uint8Array
  ? never
  : I extends readonly (infer E)[]
    ? S extends readonly (infer T)[]
      ? Stray<E, T>
      : never
    : I extends object
      ? { [K in keyof I]-?: K extends keyof S ? Stray<NonNullable<I[K]>, NonNullable<S[K]>> : K }[keyof I]
      : never;

/** Does not compile for an input that has a field, at any depth, that the SDK does not know or types otherwise. */
export const given = <I extends Plain<S>, S>(input: I & ([Stray<I, S>] extends [never] ? unknown : never)): S =>
  input as unknown as S;
