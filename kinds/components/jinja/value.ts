/** Values of Jinja, which are Python's, and how they are printed. Pure. */

export type Value = Missing | null | boolean | number | string | Value[] | Mapping;
export interface Mapping {
  [name: string]: Value;
}

/** An undefined name: it prints as a mark, and most operators refuse it. */
export class Missing {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export type Reason =
  | 'syntax'
  | 'type'
  /** A step before the last one of a name is undefined. */
  | 'undefined'
  /** Valid, but not supported here, or more work than a template may make. */
  | 'unsupported';

/** Why Jinja renders nothing. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const isMapping = (value: Value): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Missing);

/** What cloud-init prints in place of an undefined name. */
export const missingMark = 'CI_MISSING_JINJA_VAR/';

const reprOf = (value: Value): string => {
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`);
    return `${quote}${escaped}${quote}`;
  }
  return textOf(value);
};

/** As Python's `str` does. */
export const textOf = (value: Value): string => {
  if (value instanceof Missing) return `${missingMark}${value.name}`;
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(reprOf).join(', ')}]`;
  if (isMapping(value))
    return `{${Object.entries(value)
      .map(([key, item]) => `${reprOf(key)}: ${reprOf(item)}`)
      .join(', ')}}`;
  return String(value);
};

export const isTrue = (value: Value): boolean => {
  if (value instanceof Missing || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.keys(value).length > 0;
  return Boolean(value);
};

const typeOf = (value: Value): string => {
  if (value === null) return 'NoneType';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'list' : 'dict';
};

export const unsuitable = (operator: string, left: Value, right: Value): TemplateError =>
  new TemplateError('type', `unsupported operand type(s) for ${operator}: '${typeOf(left)}' and '${typeOf(right)}'`);

export const refuseMissing = (value: Value): void => {
  if (value instanceof Missing) throw new TemplateError('undefined', `'${value.name}' is undefined`);
};

export const itemsOf = (value: Value): Value[] => {
  if (value instanceof Missing) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isMapping(value)) return Object.keys(value);
  throw new TemplateError('type', `'${typeOf(value)}' object is not iterable`);
};
