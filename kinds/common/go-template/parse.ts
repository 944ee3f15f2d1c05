/** Parses a Go template into its syntax tree. */
import { lex, type Piece, type Token } from './lex.ts';
import { type Command, type Node, type Operand, type Pipe, TemplateError, type Templates } from './nodes.ts';

type Knows = (name: string) => boolean;

/** The tokens of one action. */
class Action {
  #at = 0;
  readonly #tokens: Token[];
  readonly #knows: Knows;
  /** The variables in scope. */
  readonly #scope: string[];

  constructor(tokens: Token[], knows: Knows, scope: string[]) {
    this.#tokens = tokens;
    this.#knows = knows;
    this.#scope = scope;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  take(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token !== undefined && token.is !== 'literal' && token.text === text;
  }

  takeIf(text: string): boolean {
    const found = this.is(text);
    if (found) this.#at++;
    return found;
  }

  expectEnd(where: string): void {
    const token = this.peek();
    if (token) throw new TemplateError(`unexpected ${token.text} in ${where}`);
  }

  /** `.a.b` directly behind an operand. */
  #fields(): string[] {
    const names: string[] = [];
    for (let token = this.peek(); token?.is === 'field' && !token.spaced; token = this.peek()) {
      names.push(token.text.slice(1));
      this.#at++;
    }
    return names;
  }

  #parenthesized(): Operand {
    const pipe = this.pipe('parenthesized pipeline', ')');
    if (!this.takeIf(')')) throw new TemplateError('unclosed left paren');
    const of: Operand = { is: 'pipe', pipe };
    const names = this.#fields();
    return names.length > 0 ? { is: 'chain', of, names } : of;
  }

  #word(text: string): Operand {
    if (text === 'true' || text === 'false') return { is: 'literal', value: text === 'true' };
    if (text === 'nil') return { is: 'nil' };
    if (!this.#knows(text)) throw new TemplateError(`function "${text}" not defined`);
    return { is: 'function', name: text };
  }

  #operand(): Operand {
    const token = this.take();
    if (!token) throw new TemplateError('missing value for command');
    if (token.is === 'literal') return { is: 'literal', value: token.value };
    if (token.is === 'word') return this.#word(token.text);
    if (token.is === 'field') return { is: 'field', names: [token.text.slice(1), ...this.#fields()] };
    if (token.is === 'variable') {
      if (!this.#scope.includes(token.text)) throw new TemplateError(`undefined variable "${token.text}"`);
      return { is: 'variable', name: token.text, names: this.#fields() };
    }
    if (token.text === '(') return this.#parenthesized();
    if (token.text === '.') return { is: 'dot' };
    throw new TemplateError(`unexpected "${token.text}" in operand`);
  }

  #command(closing: string): Command {
    const operands: Operand[] = [];
    for (let next = this.peek(); next && !this.is('|') && !this.is(closing); next = this.peek()) {
      if (operands.length > 0 && !next.spaced && next.text !== '(')
        throw new TemplateError(`unexpected ${next.text} in operand`);
      operands.push(this.#operand());
    }
    if (operands.length === 0) throw new TemplateError('missing value for command');
    return { operands };
  }

  #declaration(): Pick<Pipe, 'variables' | 'assigns'> {
    const start = this.#at;
    const variables: string[] = [];
    for (let token = this.peek(); token?.is === 'variable'; token = this.peek()) {
      variables.push(token.text);
      this.#at++;
      if (!this.takeIf(',')) break;
    }
    const assigns = this.is('=');
    if (variables.length > 0 && (this.takeIf(':=') || this.takeIf('='))) {
      for (const name of variables) {
        if (assigns && !this.#scope.includes(name)) throw new TemplateError(`undefined variable "${name}"`);
      }
      return { variables, assigns };
    }
    this.#at = start;
    return { variables: [], assigns: false };
  }

  pipe(where: string, closing = ''): Pipe {
    const declared = this.#declaration();
    const commands = [this.#command(closing)];
    while (this.takeIf('|')) commands.push(this.#command(closing));
    for (const [i, { operands }] of commands.entries()) {
      const first = operands[0]!;
      if (i > 0 && (first.is === 'literal' || first.is === 'nil' || first.is === 'dot'))
        throw new TemplateError(`non executable command in pipeline stage ${i + 1}`);
    }
    if (!closing) this.expectEnd(where);
    if (!declared.assigns) this.#scope.push(...declared.variables);
    return { ...declared, commands };
  }
}

class Parser {
  readonly #pieces: Piece[];
  readonly #knows: Knows;
  readonly #templates = new Map<string, Node[]>();
  #scope: string[] = ['$'];
  #at = 0;
  #ranges = 0;

  constructor(pieces: Piece[], knows: Knows) {
    this.#pieces = pieces;
    this.#knows = knows;
  }

  parse(): Templates {
    const { nodes, ending } = this.#list();
    if (ending) throw new TemplateError(`unexpected {{${ending}}}`);
    this.#templates.set('', nodes);
    return this.#templates;
  }

  /** Nodes up to `end` or `else`, and that action. */
  #list(): { nodes: Node[]; ending?: 'end' | 'else'; rest?: Action } {
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++]!;
      if ('text' in piece) {
        nodes.push({ is: 'text', text: piece.text });
        continue;
      }
      const action = new Action(piece.tokens, this.#knows, this.#scope);
      if (action.takeIf('end')) {
        action.expectEnd('end');
        return { nodes, ending: 'end' };
      }
      if (action.takeIf('else')) return { nodes, ending: 'else', rest: action };
      const node = this.#node(action);
      if (node) nodes.push(node);
    }
    return { nodes };
  }

  #scoped<T>(parse: () => T): T {
    const before = this.#scope;
    this.#scope = [...before];
    const result = parse();
    this.#scope = before;
    return result;
  }

  #node(action: Action): Node | undefined {
    for (const is of ['if', 'with', 'range'] as const) if (action.takeIf(is)) return this.#control(is, action);
    if (action.takeIf('define')) return this.#define(action);
    if (action.takeIf('template')) return this.#template(action);
    if (action.takeIf('block')) return this.#block(action);
    for (const is of ['break', 'continue'] as const) {
      if (!action.is(is) || action.peek(1)) continue;
      if (this.#ranges === 0) throw new TemplateError(`{{${is}}} outside {{range}}`);
      return { is };
    }
    return { is: 'action', pipe: action.pipe('command') };
  }

  #control(is: 'if' | 'with' | 'range', first: Action): Node {
    return this.#scoped(() => {
      // The action was made with the outer scope.
      const action = new Action(remaining(first), this.#knows, this.#scope);
      const pipe = action.pipe(is);
      if (is === 'range') this.#ranges++;
      const { nodes: then, ending, rest } = this.#list();
      if (is === 'range') this.#ranges--;
      if (!ending) throw new TemplateError('unexpected EOF');
      if (ending === 'end') return { is, pipe, then, otherwise: [] };
      return { is, pipe, then, otherwise: this.#otherwise(is, rest!) };
    });
  }

  #otherwise(is: 'if' | 'with' | 'range', rest: Action): Node[] {
    if (is !== 'range' && rest.takeIf(is)) return [this.#control(is, rest)];
    rest.expectEnd('else');
    const { nodes, ending } = this.#list();
    if (ending !== 'end') throw new TemplateError(ending ? 'expected end; found {{else}}' : 'unexpected EOF');
    return nodes;
  }

  #name(action: Action): string {
    const token = action.take();
    if (token?.is !== 'literal' || typeof token.value !== 'string')
      throw new TemplateError('unexpected name of a template');
    return token.value;
  }

  #body(name: string): void {
    const before = this.#scope;
    this.#scope = ['$'];
    const { nodes, ending } = this.#list();
    this.#scope = before;
    if (ending !== 'end') throw new TemplateError('unexpected EOF');
    this.#templates.set(name, nodes);
  }

  #define(action: Action): undefined {
    const name = this.#name(action);
    action.expectEnd('define clause');
    this.#body(name);
  }

  #template(action: Action): Node {
    const name = this.#name(action);
    return { is: 'template', name, pipe: action.peek() ? action.pipe('template clause') : undefined };
  }

  #block(action: Action): Node {
    const name = this.#name(action);
    const pipe = action.pipe('block clause');
    this.#body(name);
    return { is: 'template', name, pipe };
  }
}

const remaining = (action: Action): Token[] => {
  const tokens: Token[] = [];
  for (let token = action.take(); token; token = action.take()) tokens.push(token);
  return tokens;
};

/** `knows`: whether a function of that name exists. */
export const parse = (template: string, knows: Knows): Templates => new Parser(lex(template), knows).parse();
