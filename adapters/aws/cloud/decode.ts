/**
 * Decodes the SDK's outputs, in which every field is optional, into the port's types. Unknown fields are
 * dropped, so that a newer version of the service changes no observation.
 */

/** The value of a field; undefined omits an optional one. */
export type Decode<From, To> = (value: From | undefined) => To;

type Fields<From, To> = { [K in keyof To]-?: K extends keyof From ? Decode<NonNullable<From[K]>, To[K]> : never };

export const record = <From extends object, To extends object>(fields: Fields<From, To>): Decode<From, To> => {
  const entries = Object.entries(fields) as [keyof From & keyof To, Decode<unknown, unknown>][];
  return (value) => {
    const decoded: Partial<Record<keyof To, unknown>> = {};
    for (const [name, decode] of entries) {
      const field = decode(value?.[name]);
      if (field !== undefined) decoded[name] = field;
    }
    return decoded as To;
  };
};

/** AWS omits an empty list. */
export const list =
  <From, To>(item: Decode<From, To>): Decode<From[], To[]> =>
  (values) =>
    (values ?? []).map(item);
/** A list that is omitted when it is empty. */
export const listIfAny =
  <From, To>(item: Decode<From, To>): Decode<From[], To[] | undefined> =>
  (values) =>
    values?.length ? values.map(item) : undefined;

export const optional =
  <From, To>(decode: Decode<From, To>): Decode<From, To | undefined> =>
  (value) =>
    value === undefined ? undefined : decode(value);

/** Enumerations are not validated: code that branches on them handles unknown values in its default. */
export const text = <To extends string>(value: string | undefined): To => (value ?? '') as To;
/** Some services return an empty string for an absent value. */
export const textIfAny = <To extends string>(value: string | undefined): To | undefined => (value || undefined) as To;
export const number = (value: number | undefined): number => value ?? 0;
export const flag = (value: boolean | undefined): boolean => value ?? false;
/** RFC 3339. */
export const time = (value: Date | undefined): string => value?.toISOString() ?? '';

/** For calls whose output is unused. */
export const nothing = (): Record<never, never> => ({});
