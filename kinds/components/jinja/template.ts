/** Templates of Jinja as cloud-init renders them: parsed whole, then rendered. Pure. */
import { evaluate, type Scope } from './evaluate.ts';
import { type Expression, Parser } from './expression.ts';
import { filters, tests } from './filters.ts';
import { type Part, partsOf } from './lexer.ts';
import { isTrue, itemsOf, type Mapping, TemplateError, textOf, type Value } from './value.ts';
import { tooMuch, Work } from './work.ts';

type Node =
  | { is: 'text'; text: string }
  | { is: 'print'; value: Expression }
  | { is: 'if'; branches: { condition: Expression | undefined; body: Node[] }[] }
  | { is: 'for'; names: string[]; of: Expression; condition: Expression | undefined; body: Node[]; otherwise: Node[] }
  | { is: 'set'; names: string[]; value: Expression }
  | { is: 'capture'; name: string; body: Node[] }
  | { is: 'do'; value: Expression };

const unsupportedTags = [
  'macro',
  'call',
  'filter',
  'with',
  'block',
  'extends',
  'include',
  'import',
  'from',
  'autoescape',
];

/** Names of filters and tests are looked up when a template is read. */
const checkNames = (expression: Expression): void => {
  if (expression.is === 'filter' && !Object.hasOwn(filters, expression.name))
    throw new TemplateError('syntax', `No filter named '${expression.name}'.`);
  if (expression.is === 'test' && !Object.hasOwn(tests, expression.name))
    throw new TemplateError('syntax', `No test named '${expression.name}'.`);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if ('is' in value) checkNames(value as Expression);
      else Object.values(value).forEach(visit);
    }
  };
  Object.values(expression).forEach(visit);
};

class Reader {
  private readonly parts: readonly Part[];
  private at = 0;

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /** Up to a statement of these words, with its parser behind the word. */
  body(ends: readonly string[]): { nodes: Node[]; end: string; parser: Parser } {
    const nodes: Node[] = [];
    for (let part = this.parts[this.at]; part; part = this.parts[this.at]) {
      this.at++;
      if (part.is === 'text') {
        nodes.push(part);
        continue;
      }
      const parser = new Parser(part.tokens, part.source);
      if (part.is === 'expression') {
        nodes.push({ is: 'print', value: this.whole(parser) });
        continue;
      }
      const word = parser.name();
      if (ends.includes(word)) return { nodes, end: word, parser };
      nodes.push(this.statement(word, parser));
    }
    if (ends.length > 0)
      throw new TemplateError('syntax', `Unexpected end of template. Jinja was looking for: '${ends.join("' or '")}'`);
    return { nodes, end: '', parser: new Parser([], '') };
  }

  private checked(value: Expression): Expression {
    checkNames(value);
    return value;
  }

  private whole(parser: Parser): Expression {
    const value = this.checked(parser.tuple());
    parser.end();
    return value;
  }

  private names(parser: Parser): string[] {
    const names = [parser.name()];
    while (parser.take(',')) names.push(parser.name());
    return names;
  }

  private statement(word: string, parser: Parser): Node {
    switch (word) {
      case 'if':
        return this.conditional(parser);
      case 'for':
        return this.loop(parser);
      case 'set':
        return this.assignment(parser);
      case 'do':
        return { is: 'do', value: this.whole(parser) };
      default:
        throw unsupportedTags.includes(word)
          ? new TemplateError('unsupported', `'${word}' is not supported here`)
          : new TemplateError('syntax', `Encountered unknown tag '${word}'.`);
    }
  }

  private conditional(parser: Parser): Node {
    const branches: { condition: Expression | undefined; body: Node[] }[] = [];
    let condition: Expression | undefined = this.whole(parser);
    for (;;) {
      const { nodes, end, parser: next } = this.body(condition ? ['elif', 'else', 'endif'] : ['endif']);
      branches.push({ condition, body: nodes });
      if (end === 'endif') return { is: 'if', branches };
      condition = end === 'elif' ? this.whole(next) : undefined;
    }
  }

  private loop(parser: Parser): Node {
    const names = this.names(parser);
    parser.expect('in');
    const of = this.checked(parser.or());
    const condition = parser.take('if') ? this.checked(parser.expression()) : undefined;
    if (parser.take('recursive')) throw new TemplateError('unsupported', 'recursive loops are not supported here');
    parser.end();
    const { nodes: body, end } = this.body(['else', 'endfor']);
    const otherwise = end === 'else' ? this.body(['endfor']).nodes : [];
    return { is: 'for', names, of, condition, body, otherwise };
  }

  private assignment(parser: Parser): Node {
    const names = this.names(parser);
    if (parser.take('=')) return { is: 'set', names, value: this.whole(parser) };
    parser.end();
    return { is: 'capture', name: names[0]!, body: this.body(['endset']).nodes };
  }
}

const assigned = (names: readonly string[], value: Value): Mapping =>
  names.length === 1
    ? { [names[0]!]: value }
    : Object.fromEntries(names.map((name, i) => [name, itemsOf(value)[i] ?? null]));

/** Names that end with what is rendered inside. */
const inside = ({ names, work }: Scope, more: Mapping = {}): Scope => {
  work.spend(Object.keys(names).length + 1);
  return { names: { ...names, ...more }, work };
};

const renderLoop = (node: Node & { is: 'for' }, scope: Scope): string => {
  const all = itemsOf(evaluate(node.of, scope)).filter(
    (item) => !node.condition || isTrue(evaluate(node.condition, inside(scope, assigned(node.names, item)))),
  );
  if (all.length === 0) return render(node.otherwise, inside(scope));
  return all
    .map((item, i) => {
      const loop = {
        index: i + 1,
        index0: i,
        revindex: all.length - i,
        revindex0: all.length - i - 1,
        first: i === 0,
        last: i === all.length - 1,
        length: all.length,
      };
      return render(node.body, inside(scope, { ...assigned(node.names, item), loop }));
    })
    .join('');
};

/** The scope's names change by assignments. */
const renderNode = (node: Node, scope: Scope): string => {
  const { names, work } = scope;
  switch (node.is) {
    case 'text':
      work.spend(node.text.length);
      return node.text;
    case 'print':
      return textOf(evaluate(node.value, scope));
    case 'if': {
      const taken = node.branches.find(({ condition }) => !condition || isTrue(evaluate(condition, scope)));
      return taken ? render(taken.body, scope) : '';
    }
    case 'for':
      return renderLoop(node, scope);
    case 'set':
      Object.assign(names, assigned(node.names, evaluate(node.value, scope)));
      return '';
    case 'capture':
      names[node.name] = render(node.body, scope);
      return '';
    case 'do':
      evaluate(node.value, scope);
      return '';
  }
};

const render = (nodes: readonly Node[], scope: Scope): string => nodes.map((node) => renderNode(node, scope)).join('');

/** Throws a TemplateError where Jinja refuses the template, or this part of Jinja does not support it. */
export const renderJinja = (template: string, data: Mapping): string => {
  try {
    const { nodes } = new Reader(partsOf(template)).body([]);
    return render(nodes, { names: { ...data }, work: new Work() }) + (template.endsWith('\n') ? '\n' : '');
  } catch (error) {
    // Nested deeper than the stack.
    if (error instanceof RangeError) throw tooMuch();
    throw error;
  }
};
