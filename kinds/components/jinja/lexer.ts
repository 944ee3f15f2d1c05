/** Parts of a Jinja template: text, expressions and statements. Pure. */
import { TemplateError } from './value.ts';

export type Part = { is: 'text'; text: string } | { is: 'expression' | 'statement'; tokens: Token[]; source: string };

export type Token = { is: 'name' | 'string' | 'number' | 'operator'; text: string };

const operators = ['**', '//', '==', '!=', '<=', '>=', ...'+-*/%~<>=.,:|()[]{}'];

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

/** Of an expression or a statement. */
export const tokensIn = (source: string): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const [space = ''] = /^\s*/.exec(rest)!;
    if (space !== '') {
      at += space.length;
      continue;
    }
    const [, quote, body = ''] = /^(['"])((?:\\[\s\S]|(?!\1)[^\\])*)\1/.exec(rest) ?? [];
    if (quote !== undefined) {
      tokens.push({ is: 'string', text: body.replace(/\\([\s\S])/g, (all, one: string) => escapes[one] ?? all) });
      at += body.length + 2;
      continue;
    }
    const [number] = /^\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(rest) ?? [];
    const [name] = /^[A-Za-z_]\w*/.exec(rest) ?? [];
    const operator = operators.find((one) => rest.startsWith(one));
    const text = number ?? name ?? operator;
    if (text === undefined)
      throw new TemplateError('syntax', `unexpected char ${JSON.stringify(rest[0])} in '${source.trim()}'`);
    tokens.push({ is: number ? 'number' : name ? 'name' : 'operator', text: number ? text.replaceAll('_', '') : text });
    at += text.length;
  }
  return tokens;
};

const opening = /\{\{|\{%|\{#/g;
const rawStart = /^\{%[-+]?\s*raw\s*[-+]?%\}/;

/** Behind the sign that ends an expression, outside of quotes. */
const endOf = (source: string, from: number, sign: string): number => {
  const quotedOrEnd = new RegExp(`'(?:\\\\[\\s\\S]|[^'\\\\])*'|"(?:\\\\[\\s\\S]|[^"\\\\])*"|${sign}`, 'g');
  quotedOrEnd.lastIndex = from;
  for (let match = quotedOrEnd.exec(source); match; match = quotedOrEnd.exec(source))
    if (match[0] === sign) return match.index;
  throw new TemplateError('syntax', `unexpected end of template, expected '${sign}'`);
};

/** With cloud-init's option: the newline after a statement or a comment is dropped. */
export const partsOf = (template: string): Part[] => {
  const source = template.replace(/\n$/, '');
  const parts: Part[] = [];
  let at = 0;
  let stripsLeft = false;
  const pushText = (text: string, stripsRight: boolean) => {
    const left = stripsLeft ? text.trimStart() : text;
    parts.push({ is: 'text', text: stripsRight ? left.trimEnd() : left });
  };
  /** Goes on behind a tag that ends at `end`. */
  const goOn = (end: number, sign: string, isBlock: boolean) => {
    stripsLeft = sign === '-';
    at = end;
    if (isBlock && sign !== '+' && !stripsLeft && source[at] === '\n') at++;
  };
  for (;;) {
    opening.lastIndex = at;
    const match = opening.exec(source);
    if (!match) break;
    const from = match.index + 2;
    pushText(source.slice(at, match.index), source[from] === '-');
    if (match[0] === '{#') {
      const end = source.indexOf('#}', from);
      if (end < 0) throw new TemplateError('syntax', "Missing end of comment tag '#}'");
      goOn(end + 2, source[end - 1] ?? '', true);
      continue;
    }
    const [raw] = rawStart.exec(source.slice(match.index)) ?? [];
    if (raw !== undefined) {
      const begin = match.index + raw.length;
      const end = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/.exec(source.slice(begin));
      if (!end) throw new TemplateError('syntax', "Missing end of raw directive '{% endraw %}'");
      goOn(begin, raw.at(-3) ?? '', true);
      pushText(source.slice(at, begin + end.index), end[1] === '-');
      goOn(begin + end.index + end[0].length, end[2] ?? '', true);
      continue;
    }
    const isStatement = match[0] === '{%';
    const end = endOf(source, from, isStatement ? '%}' : '}}');
    const inner = source.slice(from, end).replace(/^[-+]/, '');
    const sign = /[-+]$/.exec(inner)?.[0] ?? '';
    const text = sign === '' ? inner : inner.slice(0, -1);
    parts.push({ is: isStatement ? 'statement' : 'expression', tokens: tokensIn(text), source: text.trim() });
    goOn(end + 2, sign, isStatement);
  }
  pushText(source.slice(at), false);
  return parts.filter((part) => part.is !== 'text' || part.text !== '');
};
