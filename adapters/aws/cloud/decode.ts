/**
 * From the SDK's answers, in which everything may be missing, to the port's words. What the port does not know is left out,
 * so that what is observed is the same whatever a later version of the service adds.
 */

/** The value of a field; undefined leaves an optional one out. */
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

/** AWS says nothing at all where a list is empty. */
export const list =
  <From, To>(item: Decode<From, To>): Decode<From[], To[]> =>
  (values) =>
    (values ?? []).map(item);
/** A list that is left out when it is empty. */
export const listIfAny =
  <From, To>(item: Decode<From, To>): Decode<From[], To[] | undefined> =>
  (values) =>
    values?.length ? values.map(item) : undefined;

export const optional =
  <From, To>(decode: Decode<From, To>): Decode<From, To | undefined> =>
  (value) =>
    value === undefined ? undefined : decode(value);

/** Words that the port enumerates are taken on trust: whoever branches on them meets the unknown ones in a default. */
export const text = <To extends string>(value: string | undefined): To => (value ?? '') as To;
/** An empty text is how some services say that there is none. */
export const textIfAny = <To extends string>(value: string | undefined): To | undefined => (value || undefined) as To;
export const number = (value: number | undefined): number => value ?? 0;
export const flag = (value: boolean | undefined): boolean => value ?? false;
/** RFC 3339. */
export const time = (value: Date | undefined): string => value?.toISOString() ?? '';

/** Of calls whose answer says nothing that is used. */
export const nothing = (): Record<never, never> => ({});
