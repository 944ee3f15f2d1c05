/**
 * YAML as Kubernetes reads it: version 1.1 (0644 is octal, `yes` and `y` are true), without some of
 * its types.
 */
import { type Document, parseAllDocuments, type ScalarTag, type Tags } from 'yaml';
import { losesDigits, roundedInteger } from './exact.ts';

type Tag = Exclude<Tags[number], string>;

const standard = (name: string): string => `tag:yaml.org,2002:${name}`;

const whole = /^(?:0x[\da-f]+|0b[01]+|0o?[0-7]+|[1-9]\d*)$/i;
const fraction = /^(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;

const oldOctal = /^0(?=[0-7]+$)/;

/**
 * Base-60 numbers are not supported: `12:30` is not 750, and many MAC addresses would become
 * numbers.
 */
const numberIn = (text: string, onError: (message: string) => void): number | undefined => {
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  const digits = plain.replace(/^[-+]/, '');
  if (!whole.test(digits) && !fraction.test(digits)) return undefined;
  const value = Number(digits.replace(oldOctal, '0o'));
  if (!Number.isFinite(value)) return undefined;
  const isDecimal = !digits.startsWith('0');
  if (whole.test(digits) && (isDecimal ? losesDigits(digits) : !Number.isSafeInteger(value)))
    onError(roundedInteger(text));
  return plain.startsWith('-') ? -value : value;
};

const noNumber = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const numbers = ['int', 'float'].map(
  (name): ScalarTag => ({
    tag: standard(name),
    default: true,
    test: /^[-+.\d]/,
    resolve: (text, onError) => {
      if (noNumber.test(text)) onError('json: unsupported value');
      return numberIn(text, onError) ?? text;
    },
  }),
);
const binary: ScalarTag = { tag: standard('binary'), resolve: (text) => Buffer.from(text, 'base64').toString() };

/** Dates stay strings, and collections stay lists and maps. */
const readOtherwise = new Set(['int', 'float', 'binary', 'timestamp', 'omap', 'pairs', 'set'].map(standard));
const tagsOf = (tags: Tags): Tags => [
  ...(tags as Tag[]).filter(({ tag }) => !readOtherwise.has(tag)),
  ...numbers,
  binary,
];

/** Every document of a stream; each carries its own errors. */
export const yamlDocuments = (text: string): Document[] => {
  const documents = parseAllDocuments(text, { version: '1.1', merge: true, customTags: tagsOf });
  return Array.isArray(documents) ? documents : [];
};

/**
 * The value of a document. Of a repeated key the last one counts. Throws an Error with the cause.
 */
export const documentValue = (document: Document): unknown => {
  const fault = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (fault) throw new Error(fault.message.split('\n')[0]);
  return document.toJS({ maxAliasCount: 100 });
};
