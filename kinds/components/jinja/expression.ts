/** Expressions of Jinja: parsed by its precedence. Pure. */
import type { Token } from './lexer.ts';
import { TemplateError } from './value.ts';

export type Expression =
  | { is: 'constant'; value: string | number | boolean | null }
  | { is: 'name'; name: string }
  | { is: 'list'; items: Expression[] }
  | { is: 'dict'; items: [Expression, Expression][] }
  | { is: 'attribute'; of: Expression; name: string }
  | { is: 'item'; of: Expression; index: Expression }
  | { is: 'slice'; of: Expression; from: Expression | undefined; to: Expression | undefined }
  | { is: 'call'; of: Expression; args: Arguments }
  | { is: 'filter'; name: string; of: Expression; args: Arguments }
  | { is: 'test'; name: string; of: Expression; args: Arguments }
  | { is: 'unary'; operator: string; of: Expression }
  | { is: 'binary'; operator: string; left: Expression; right: Expression }
  | { is: 'choice'; condition: Expression; then: Expression; otherwise: Expression | undefined };

export interface Arguments {
  positional: Expression[];
  named: Record<string, Expression>;
}

const constants: Record<string, boolean | null> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const comparisons = ['==', '!=', '<', '<=', '>', '>='];
const reserved = ['and', 'or', 'not', 'in', 'is', 'if', 'else'];

export class Parser {
  private readonly tokens: readonly Token[];
  private readonly source: string;
  private at = 0;

  constructor(tokens: readonly Token[], source: string) {
    this.tokens = tokens;
    this.source = source;
  }

  isDone(): boolean {
    return this.at >= this.tokens.length;
  }

  fail(expected?: string): never {
    const token = this.tokens[this.at];
    const found = token ? `unexpected '${token.text}'` : "unexpected 'end of print statement'";
    throw new TemplateError('syntax', `${found} in '${this.source}'${expected ? `, expected ${expected}` : ''}`);
  }

  /** Takes the operator or word if it is next. */
  take(text: string): boolean {
    const token = this.tokens[this.at];
    if (!token || token.text !== text || (token.is !== 'operator' && token.is !== 'name')) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`'${text}'`);
  }

  name(): string {
    const token = this.tokens[this.at];
    if (token?.is !== 'name') return this.fail('a name');
    this.at++;
    return token.text;
  }

  end(): void {
    if (!this.isDone()) this.fail();
  }

  /** `a, b` without brackets is a list, too. */
  tuple(): Expression {
    const first = this.expression();
    if (!this.take(',')) return first;
    const items = [first];
    while (!this.isDone()) {
      items.push(this.expression());
      if (!this.take(',')) break;
    }
    return { is: 'list', items };
  }

  expression(): Expression {
    const then = this.or();
    if (!this.take('if')) return then;
    const condition = this.or();
    return { is: 'choice', condition, then, otherwise: this.take('else') ? this.expression() : undefined };
  }

  /** Without the choice, which in `for x in y if z` is a condition of the loop. */
  or(): Expression {
    return this.chain(['or'], () => this.chain(['and'], () => this.not()));
  }

  private chain(operators: string[], next: () => Expression): Expression {
    let left = next();
    for (;;) {
      const operator = operators.find((one) => this.take(one));
      if (operator === undefined) return left;
      left = { is: 'binary', operator, left, right: next() };
    }
  }

  private not(): Expression {
    return this.take('not') ? { is: 'unary', operator: 'not', of: this.not() } : this.comparison();
  }

  private comparison(): Expression {
    let left = this.sum();
    let joined: Expression | undefined;
    for (;;) {
      const operator = comparisons.find((one) => this.take(one)) ?? this.membership();
      if (operator === undefined) return joined ?? left;
      const right = this.sum();
      const one: Expression = { is: 'binary', operator, left, right };
      joined = joined ? { is: 'binary', operator: 'and', left: joined, right: one } : one;
      left = right;
    }
  }

  private membership(): string | undefined {
    if (this.take('in')) return 'in';
    if (this.tokens[this.at]?.text !== 'not' || this.tokens[this.at + 1]?.text !== 'in') return undefined;
    this.at += 2;
    return 'not in';
  }

  private sum(): Expression {
    return this.chain(['+', '-'], () =>
      this.chain(['~'], () => this.chain(['*', '//', '/', '%'], () => this.chain(['**'], () => this.unary(true)))),
    );
  }

  private unary(filters: boolean): Expression {
    for (const operator of ['-', '+'])
      if (this.take(operator)) {
        const negated: Expression = { is: 'unary', operator, of: this.unary(false) };
        return filters ? this.filters(this.postfix(negated)) : this.postfix(negated);
      }
    const primary = this.postfix(this.primary());
    return filters ? this.filters(primary) : primary;
  }

  private primary(): Expression {
    const token = this.tokens[this.at];
    if (!token) return this.fail();
    if (token.is === 'string') {
      let value = '';
      // Strings beside each other are one.
      for (let next = this.tokens[this.at]; next?.is === 'string'; next = this.tokens[++this.at]) value += next.text;
      return { is: 'constant', value };
    }
    if (token.is === 'number') {
      this.at++;
      return { is: 'constant', value: Number(token.text) };
    }
    if (token.is === 'name' && !reserved.includes(token.text)) {
      this.at++;
      const { text } = token;
      return Object.hasOwn(constants, text) ? { is: 'constant', value: constants[text]! } : { is: 'name', name: text };
    }
    if (this.take('[')) return { is: 'list', items: this.listTo(']') };
    if (this.take('{')) return this.dict();
    if (this.take('(')) {
      if (this.take(')')) return { is: 'list', items: [] };
      const inner = this.tuple();
      this.expect(')');
      return inner;
    }
    return this.fail();
  }

  private listTo(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.take(close)) {
      items.push(this.expression());
      if (!this.take(',')) {
        this.expect(close);
        break;
      }
    }
    return items;
  }

  private dict(): Expression {
    const items: [Expression, Expression][] = [];
    while (!this.take('}')) {
      const key = this.expression();
      this.expect(':');
      items.push([key, this.expression()]);
      if (!this.take(',')) {
        this.expect('}');
        break;
      }
    }
    return { is: 'dict', items };
  }

  private postfix(of: Expression): Expression {
    if (this.take('.')) {
      const token = this.tokens[this.at];
      if (token?.is !== 'name' && token?.is !== 'number') return this.fail('name or number');
      this.at++;
      return this.postfix(
        token.is === 'name'
          ? { is: 'attribute', of, name: token.text }
          : { is: 'item', of, index: { is: 'constant', value: Number(token.text) } },
      );
    }
    if (this.take('[')) return this.postfix(this.subscript(of));
    if (this.take('(')) return this.postfix({ is: 'call', of, args: this.arguments() });
    return of;
  }

  private subscript(of: Expression): Expression {
    const from = this.tokens[this.at]?.text === ':' ? undefined : this.expression();
    if (this.take(']')) return from ? { is: 'item', of, index: from } : this.fail();
    this.expect(':');
    if (this.take(']')) return { is: 'slice', of, from, to: undefined };
    const to = this.expression();
    this.expect(']');
    return { is: 'slice', of, from, to };
  }

  private arguments(): Arguments {
    const args: Arguments = { positional: [], named: {} };
    while (!this.take(')')) {
      if (this.tokens[this.at]?.is === 'name' && this.tokens[this.at + 1]?.text === '=') {
        const name = this.name();
        this.expect('=');
        args.named[name] = this.expression();
      } else args.positional.push(this.expression());
      if (!this.take(',')) {
        this.expect(')');
        break;
      }
    }
    return args;
  }

  private filters(value: Expression): Expression {
    let of = value;
    for (;;) {
      if (this.take('|')) of = { is: 'filter', of, name: this.dotted(), args: this.optionalArguments() };
      else if (this.take('is')) of = this.test(of);
      else if (this.take('(')) of = { is: 'call', of, args: this.arguments() };
      else return of;
    }
  }

  private dotted(): string {
    let name = this.name();
    while (this.take('.')) name += `.${this.name()}`;
    return name;
  }

  private optionalArguments(): Arguments {
    return this.take('(') ? this.arguments() : { positional: [], named: {} };
  }

  private test(of: Expression): Expression {
    const isNegated = this.take('not');
    const name = this.dotted();
    const next = this.tokens[this.at];
    const hasBareArgument =
      next !== undefined &&
      (next.is === 'string' || next.is === 'number' || (next.is === 'name' && !reserved.includes(next.text)));
    const args = hasBareArgument ? { positional: [this.postfix(this.primary())], named: {} } : this.optionalArguments();
    const test: Expression = { is: 'test', name, of, args };
    return isNegated ? { is: 'unary', operator: 'not', of: test } : test;
  }
}
