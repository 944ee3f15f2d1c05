/** Splits a Go template into text and the tokens of its actions. */
import { TemplateError } from './nodes.ts';

export type Token =
  | { is: 'word' | 'field' | 'variable' | 'punctuation'; text: string; spaced: boolean }
  | { is: 'literal'; value: string | number | bigint; text: string; spaced: boolean };

export type Piece = { text: string } | { tokens: Token[] };

const escapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};
const escapePattern = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/g;

const unquoted = (text: string): string => {
  const body = text.slice(1, -1);
  if (text.startsWith('`')) return body;
  return body.replace(escapePattern, (whole, hex, short, long, octal, one) => {
    const code = hex ?? short ?? long;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const plain = escapes[one];
    if (plain === undefined) throw new TemplateError(`invalid escape ${whole}`);
    return plain;
  });
};

const integer = /^[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]*|[1-9][\d_]*)$/;
const float = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const numberOf = (text: string): number | bigint => {
  const plain = text.replaceAll('_', '');
  const negative = plain.startsWith('-');
  const digits = plain.replace(/^[+-]/, '');
  if (integer.test(plain)) {
    const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
    return negative ? -value : value;
  }
  if (!float.test(plain)) throw new TemplateError(`bad number syntax: "${text}"`);
  return Number(plain);
};

const patterns = [
  ['space', /\s+/y],
  ['string', /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ['character', /'(?:[^'\\\n]|\\.[^']*)'/y],
  ['number', /[+-]?(?:\d|\.\d)[\w.]*(?:(?<=[eE])[+-]\d+)?/y],
  ['field', /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['punctuation', /:=|[().|,=]/y],
] as const;

const tokensOf = (action: string): Token[] => {
  const tokens: Token[] = [];
  let spaced = true;
  for (let at = 0; at < action.length; ) {
    const found = patterns
      .map(([is, pattern]) => {
        pattern.lastIndex = at;
        return [is, pattern.exec(action)?.[0]] as const;
      })
      .find(([, text]) => text !== undefined);
    const [is, text] = found ?? [];
    if (is === undefined || text === undefined)
      throw new TemplateError(
        /["`']/.test(action[at]!)
          ? 'unterminated quoted string'
          : `unexpected ${JSON.stringify(action[at])} in command`,
      );
    at += text.length;
    if (is === 'space') spaced = true;
    else {
      if (is === 'string') tokens.push({ is: 'literal', value: unquoted(text), text, spaced });
      else if (is === 'character')
        tokens.push({ is: 'literal', value: BigInt(unquoted(text).codePointAt(0) ?? 0), text, spaced });
      else if (is === 'number') tokens.push({ is: 'literal', value: numberOf(text), text, spaced });
      else tokens.push({ is, text, spaced });
      spaced = false;
    }
  }
  return tokens;
};

/** The end of an action, outside of its texts. */
const endOf = (template: string, from: number): number => {
  const pattern = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|\}\}/g;
  pattern.lastIndex = from;
  for (let match = pattern.exec(template); match; match = pattern.exec(template))
    if (match[0] === '}}') return match.index;
  throw new TemplateError('unclosed action');
};

const comment = /^\/\*[\s\S]*\*\/$/;

export const lex = (template: string): Piece[] => {
  const pieces: Piece[] = [];
  let at = 0;
  let isTrimmed = false;
  const addText = (text: string, trimsRight: boolean) => {
    const left = isTrimmed ? text.replace(/^[ \t\r\n]+/, '') : text;
    const both = trimsRight ? left.replace(/[ \t\r\n]+$/, '') : left;
    if (both) pieces.push({ text: both });
  };
  for (let start = template.indexOf('{{'); start >= 0; start = template.indexOf('{{', at)) {
    const opened = /^-[ \t\r\n]/.test(template.slice(start + 2, start + 4)) ? start + 4 : start + 2;
    const commented = template.slice(opened).startsWith('/*') ? template.indexOf('*/', opened) : -1;
    const end = endOf(template, commented >= 0 ? commented : opened);
    const body = template.slice(opened, end);
    const trims = /[ \t\r\n]-$/.test(body);
    const action = trims ? body.slice(0, -2) : body;
    addText(template.slice(at, start), opened === start + 4);
    if (!comment.test(action.trim())) pieces.push({ tokens: tokensOf(action) });
    at = end + 2;
    isTrimmed = trims;
  }
  addText(template.slice(at), false);
  return pieces;
};
