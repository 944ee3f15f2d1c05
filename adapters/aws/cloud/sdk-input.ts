/** Passes the port's inputs to the SDK: the same fields, except that the port types enumerations as strings. */

type Plain<S> = S extends string
  ? string
  : S extends Uint8Array | Date
    ? S
    : S extends readonly (infer E)[]
      ? Plain<E>[]
      : S extends object
        ? { [K in keyof S]: Plain<S[K]> }
        : S;

/** Field names that the SDK would drop silently. */
type UnknownField<I, S> = I extends Uint8Array
  ? never
  : I extends readonly (infer E)[]
    ? S extends readonly (infer T)[]
      ? UnknownField<E, T>
      : never
    : I extends object
      ? { [K in keyof I]-?: K extends keyof S ? UnknownField<NonNullable<I[K]>, NonNullable<S[K]>> : K }[keyof I]
      : never;

/** Does not compile for an input with a field, at any depth, that the SDK lacks or types differently. */
export const given = <I extends Plain<S>, S>(input: I & ([UnknownField<I, S>] extends [never] ? unknown : never)): S =>
  input as S;
