/** sprig's functions of texts. */
import { RE2JS } from 're2js';
import type { GoFunction } from './execute.ts';
import { quoted } from './format.ts';
import { TemplateError, type Value } from './nodes.ts';
import { stringIn, textOf, textsOf, toWhole, wholeIn } from './operands.ts';

const trimmed = (text: string, set: string, sides: 'both' | 'left' | 'right'): string => {
  const characters = [...text];
  const isIn = (one: string | undefined) => one !== undefined && set.includes(one);
  let [from, to] = [0, characters.length];
  if (sides !== 'right') while (from < to && isIn(characters[from])) from++;
  if (sides !== 'left') while (to > from && isIn(characters[to - 1])) to--;
  return characters.slice(from, to).join('');
};

const titled = (text: string): string =>
  text.replace(/(^|[^\p{L}\p{N}_'])(\p{L})/gu, (_, before: string, one: string) => before + one.toUpperCase());

const indented = (count: bigint, text: string): string => {
  const space = ' '.repeat(Number(count));
  return space + text.replaceAll('\n', `\n${space}`);
};

const truncated = (count: bigint, text: string): string => {
  const length = Number(count);
  const bytes = Buffer.from(text);
  if (length < 0 && bytes.length + length > 0) return bytes.subarray(bytes.length + length).toString();
  return length >= 0 && bytes.length > length ? bytes.subarray(0, length).toString() : text;
};

const part = (start: bigint, end: bigint, text: string): string => {
  const bytes = Buffer.from(text);
  const [from, to] = [Number(start), Number(end)];
  if (from < 0) return bytes.subarray(0, to).toString();
  return bytes.subarray(from, to < 0 || to > bytes.length ? undefined : to).toString();
};

/** Words of a name in any case: before a capital letter and at separators. */
const nameParts = (text: string): string[] =>
  text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean);
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** As a map with the keys _0, _1, … */
const numbered = (parts: readonly string[]): Value => Object.fromEntries(parts.map((one, i) => [`_${i}`, one]));
const partsOf = (separator: string, text: string): string[] => (separator === '' ? [...text] : text.split(separator));
const firstParts = (separator: string, count: number, text: string): string[] => {
  const all = partsOf(separator, text);
  return count < 0 || all.length <= count ? all : [...all.slice(0, count - 1), all.slice(count - 1).join(separator)];
};

const patternOf = (text: Value): RE2JS => {
  try {
    return RE2JS.compile(stringIn(text));
  } catch (error) {
    throw new TemplateError(`error parsing regexp: ${(error as Error).message}`);
  }
};
const matchesOf = (pattern: Value, text: Value, most: Value): string[] => {
  const matcher = patternOf(pattern).matcher(stringIn(text));
  const limit = Number(wholeIn(most));
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
};
/** Go writes references to groups as $1 or ${1}. */
const replacementOf = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\$(\d+)/g, '$$$1');

export const strings: Record<string, GoFunction> = {
  trim: (text) => stringIn(text).trim(),
  trimAll: (set, text) => trimmed(stringIn(text), stringIn(set), 'both'),
  trimall: (set, text) => trimmed(stringIn(text), stringIn(set), 'both'),
  trimPrefix: (prefix, text) =>
    stringIn(text).startsWith(stringIn(prefix)) ? stringIn(text).slice(stringIn(prefix).length) : stringIn(text),
  trimSuffix: (suffix, text) =>
    stringIn(text).endsWith(stringIn(suffix))
      ? stringIn(text).slice(0, stringIn(text).length - stringIn(suffix).length)
      : stringIn(text),
  upper: (text) => stringIn(text).toUpperCase(),
  lower: (text) => stringIn(text).toLowerCase(),
  title: (text) => titled(stringIn(text)),
  untitle: (text) => stringIn(text).replace(/(^|\s)(\S)/g, (_, space, one) => space + one.toLowerCase()),
  repeat: (count, text) => stringIn(text).repeat(Number(wholeIn(count))),
  substr: (start, end, text) => part(wholeIn(start), wholeIn(end), stringIn(text)),
  trunc: (count, text) => truncated(wholeIn(count), stringIn(text)),
  abbrev: (width, text) => {
    const [most, all] = [Number(wholeIn(width)), stringIn(text)];
    return most < 4 || all.length <= most ? all : `${all.slice(0, most - 3)}...`;
  },
  nospace: (text) => stringIn(text).replace(/\s/g, ''),
  initials: (text) => (stringIn(text).match(/(?<=^|\s)\S/g) ?? []).join(''),
  contains: (part, text) => stringIn(text).includes(stringIn(part)),
  hasPrefix: (prefix, text) => stringIn(text).startsWith(stringIn(prefix)),
  hasSuffix: (suffix, text) => stringIn(text).endsWith(stringIn(suffix)),
  quote: (...values) =>
    values
      .filter((one) => one !== undefined && one !== null)
      .map((one) => quoted(textOf(one)))
      .join(' '),
  squote: (...values) =>
    values
      .filter((one) => one !== undefined && one !== null)
      .map((one) => `'${textOf(one)}'`)
      .join(' '),
  cat: (...values) =>
    values
      .filter((one) => one !== undefined && one !== null)
      .map(textOf)
      .join(' ')
      .trim(),
  indent: (count, text) => indented(wholeIn(count), stringIn(text)),
  nindent: (count, text) => `\n${indented(wholeIn(count), stringIn(text))}`,
  replace: (old, next, text) => stringIn(text).replaceAll(stringIn(old), () => stringIn(next)),
  plural: (one, many, count) => (wholeIn(count) === 1n ? stringIn(one) : stringIn(many)),
  snakecase: (text) => nameParts(stringIn(text)).join('_').toLowerCase(),
  kebabcase: (text) => nameParts(stringIn(text)).join('-').toLowerCase(),
  camelcase: (text) => nameParts(stringIn(text)).map(capitalized).join(''),
  toString: textOf,
  toStrings: textsOf,
  split: (separator, text) => numbered(partsOf(stringIn(separator), stringIn(text))),
  splitn: (separator, count, text) => numbered(firstParts(stringIn(separator), Number(toWhole(count)), stringIn(text))),
  splitList: (separator, text) => partsOf(stringIn(separator), stringIn(text)),
  join: (separator, values) => textsOf(values).join(stringIn(separator)),
  sortAlpha: (values) => textsOf(values).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  regexMatch: (pattern, text) => patternOf(pattern).matcher(stringIn(text)).find(),
  regexFind: (pattern, text) => matchesOf(pattern, text, 1n)[0] ?? '',
  regexFindAll: matchesOf,
  regexReplaceAll: (pattern, text, next) =>
    patternOf(pattern)
      .matcher(stringIn(text))
      .replaceAll(replacementOf(stringIn(next))),
  regexReplaceAllLiteral: (pattern, text, next) =>
    patternOf(pattern)
      .matcher(stringIn(text))
      .replaceAll(RE2JS.quoteReplacement?.(stringIn(next)) ?? stringIn(next)),
  regexSplit: (pattern, text, count) => {
    const all = patternOf(pattern).split(stringIn(text), Number(wholeIn(count)) < 0 ? -1 : Number(wholeIn(count)));
    return [...all];
  },
  regexQuoteMeta: (text) => stringIn(text).replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'),
  base: (path) => stringIn(path).replace(/\/+$/, '').split('/').at(-1) || (stringIn(path) === '' ? '.' : '/'),
  ext: (path) => /\.[^./]*$/.exec(stringIn(path))?.[0] ?? '',
  isAbs: (path) => stringIn(path).startsWith('/'),
};
