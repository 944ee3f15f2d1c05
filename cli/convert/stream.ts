/** A stream of YAML documents, each as its author wrote it. */
import { Document, isMap, isSeq, parseDocument, type ToStringOptions } from 'yaml';
import type { JsonValue } from '../../machinery/api/object.ts';
import { asMap, at, nodeOf, settle, textAt } from './nodes.ts';

export interface Part {
  /** As it is written, without its separator. */
  text: string;
  /** Absent if the text is no YAML, or nothing. */
  document?: Document;
  fault?: string;
}

const hasContent = (text: string): boolean => text.split('\n').some((line) => !/^\s*(#.*|\.\.\.)?$/.test(line));

/** `{{ … }}` outside of quotes, which is no YAML, though some of it parses. */
const isChart = (text: string): boolean =>
  /^\s*\{\{|^[^#'"\n|>]*:\s+\{\{/m.test(text.replace(/^(\s*)[^\n]*[|>][-+\d]*\s*\n((?:\1\s+[^\n]*\n|\s*\n)+)/gm, ''));

const parse = (text: string): Part => {
  const document = parseDocument(text, { schema: 'failsafe' });
  const [error] = document.errors;
  if (isChart(text) || (error && text.includes('{{')))
    return { text, fault: 'this is a chart’s template, not YAML: render it first, as helm template does' };
  if (error) return { text, fault: error.message.split('\n')[0]! };
  if (!isMap(document.contents)) return { text, fault: 'this is no object: it has no fields' };
  try {
    settle(document);
  } catch (fault) {
    return { text, fault: (fault as Error).message };
  }
  return { text, document };
};

const oneByOne = (part: Part): Part[] => {
  const items = at(part.document?.contents, 'items');
  const isList = /List$/.test(textAt(part.document?.contents, 'kind') ?? '') && isSeq(items);
  if (!isList) return [part];
  return items.items.map((item) => {
    const document = new Document(null, { schema: 'failsafe' });
    document.contents = asMap(item) as never;
    return { text: printed(document, part.text), document };
  });
};

/** Documents in order; those without content are left out, and lists are taken apart. */
export const partsOf = (text: string): Part[] =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(/^---(?=\s|$)/m)
    .map((part, i) => (i === 0 ? part : part.replace(/^[ \t]*\n/, '')))
    .filter(hasContent)
    .flatMap((part) => oneByOne(parse(part)));

const styleOf = (text: string): ToStringOptions => ({
  lineWidth: 0,
  indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*(#[^\n]*)?\n(?:\s*#[^\n]*\n)*\1- /m.test(text),
  flowCollectionPadding: /[^{]\{ [^\s{]/.test(text),
});

/** The document in the style of the text that it was read from. */
export const printed = (document: Document, text: string): string => document.toString(styleOf(text));

export const documentOf = (object: Record<string, unknown>): Document => {
  const document = new Document(null, { schema: 'failsafe' });
  document.contents = nodeOf(object as JsonValue) as never;
  return document;
};
