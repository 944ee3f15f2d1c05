/** Executes a Go template, as the package text/template does. */
import { goType, printed } from './format.ts';
import {
  type Command,
  type Node,
  type Operand,
  type Pipe,
  TemplateError,
  type Templates,
  type Value,
} from './nodes.ts';

export type GoFunction = (...values: Value[]) => Value;
export type Functions = ReadonlyMap<string, GoFunction>;

/** Templates are small: a longer one calls itself. */
const deepest = 1000;
const longest = 1_000_000;

export const isTrue = (value: Value): boolean => {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
};

const fieldOf = (value: Value, name: string): Value => {
  // An absent field has absent fields; a null has none.
  if (value === undefined) return undefined;
  if (value === null) throw new TemplateError(`nil pointer evaluating interface {}.${name}`);
  if (typeof value !== 'object' || Array.isArray(value))
    throw new TemplateError(`can't evaluate field ${name} in type ${goType(value)}`);
  return Object.hasOwn(value, name) ? value[name] : undefined;
};
const fieldsOf = (value: Value, names: readonly string[]): Value => names.reduce(fieldOf, value);

interface Variable {
  name: string;
  value: Value;
}
type Jump = 'break' | 'continue' | undefined;

class Execution {
  readonly #templates: Templates;
  readonly #functions: Functions;
  #variables: Variable[];
  #output = '';
  #depth = 0;

  constructor(templates: Templates, functions: Functions, data: Value) {
    this.#templates = templates;
    this.#functions = functions;
    this.#variables = [{ name: '$', value: data }];
  }

  run(data: Value): string {
    this.#list(this.#templates.get('') ?? [], data);
    return this.#output;
  }

  #print(text: string): void {
    this.#output += text;
    if (this.#output.length > longest) throw new TemplateError('the template prints too much');
  }

  #list(nodes: readonly Node[], dot: Value): Jump {
    for (const node of nodes) {
      const jump = this.#node(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  #node(node: Node, dot: Value): Jump {
    switch (node.is) {
      case 'text':
        this.#print(node.text);
        return undefined;
      case 'action': {
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#print(printed(value));
        return undefined;
      }
      case 'if':
      case 'with':
        return this.#scoped(() => {
          const value = this.#pipe(node.pipe, dot);
          if (!isTrue(value)) return this.#list(node.otherwise, dot);
          return this.#list(node.then, node.is === 'with' ? value : dot);
        });
      case 'range':
        this.#scoped(() => this.#range(node, dot));
        return undefined;
      case 'template':
        this.#template(node, dot);
        return undefined;
      default:
        return node.is;
    }
  }

  #scoped<T>(run: () => T): T {
    const mark = this.#variables.length;
    const result = run();
    this.#variables.length = mark;
    return result;
  }

  #template({ name, pipe }: Extract<Node, { is: 'template' }>, dot: Value): void {
    const nodes = this.#templates.get(name);
    if (!nodes) throw new TemplateError(`template "${name}" not defined`);
    const data = pipe && this.#pipe(pipe, dot);
    if (++this.#depth > deepest) throw new TemplateError('exceeded maximum template depth');
    const outer = this.#variables;
    this.#variables = [{ name: '$', value: data }];
    this.#list(nodes, data);
    this.#variables = outer;
    this.#depth--;
  }

  static #entries(value: Value): [Value, Value][] {
    if (typeof value === 'bigint')
      return Array.from({ length: Number(value) }, (_, i) => [BigInt(i), BigInt(i)] as [Value, Value]);
    if (Array.isArray(value)) return value.map((item, i) => [BigInt(i), item]);
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object') throw new TemplateError(`range can't iterate over ${printed(value)}`);
    return Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]);
  }

  #range(node: Extract<Node, { is: 'if' | 'with' | 'range' }>, dot: Value): void {
    const { variables } = node.pipe;
    const entries = Execution.#entries(this.#pipe({ ...node.pipe, variables: [] }, dot));
    if (entries.length === 0) this.#list(node.otherwise, dot);
    for (const [key, value] of entries) {
      const jump = this.#scoped(() => {
        if (variables.length === 1) this.#set(node.pipe, variables[0]!, value);
        if (variables.length === 2) {
          this.#set(node.pipe, variables[0]!, key);
          this.#set(node.pipe, variables[1]!, value);
        }
        return this.#list(node.then, value);
      });
      if (jump === 'break') return;
    }
  }

  #set({ assigns }: Pipe, name: string, value: Value): void {
    if (!assigns) this.#variables.push({ name, value });
    else this.#variable(name).value = value;
  }

  #variable(name: string): Variable {
    const found = this.#variables.findLast((one) => one.name === name);
    if (!found) throw new TemplateError(`undefined variable: ${name}`);
    return found;
  }

  #pipe(pipe: Pipe, dot: Value): Value {
    let value: Value;
    for (const [i, command] of pipe.commands.entries()) value = this.#command(command, dot, i > 0 ? [value] : []);
    for (const name of pipe.variables) this.#set(pipe, name, value);
    return value;
  }

  #command({ operands: [first, ...rest] }: Command, dot: Value, piped: Value[]): Value {
    const operand = first!;
    if (operand.is === 'function') return this.#call(operand.name, rest, dot, piped);
    if (rest.length + piped.length > 0)
      throw new TemplateError(
        operand.is === 'field'
          ? `${operand.names.at(-1)} is not a method but has arguments`
          : "can't give argument to non-function",
      );
    if (operand.is === 'nil') throw new TemplateError('nil is not a command');
    return this.#operand(operand, dot);
  }

  #operand(operand: Operand, dot: Value): Value {
    switch (operand.is) {
      case 'dot':
        return dot;
      case 'nil':
        return null;
      case 'literal':
        return operand.value;
      case 'field':
        return fieldsOf(dot, operand.names);
      case 'variable':
        return fieldsOf(this.#variable(operand.name).value, operand.names);
      case 'pipe':
        return this.#pipe(operand.pipe, dot);
      case 'chain':
        return fieldsOf(this.#operand(operand.of, dot), operand.names);
      default:
        return this.#call(operand.name, [], dot, []);
    }
  }

  /** `and` and `or` evaluate no operand that does not matter. */
  #choose(name: 'and' | 'or', operands: readonly Operand[], dot: Value, piped: Value[]): Value {
    const values = [...operands.map((one) => () => this.#operand(one, dot)), ...piped.map((value) => () => value)];
    if (values.length === 0) throw new TemplateError(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: Value;
    for (const next of values) {
      value = next();
      if (isTrue(value) === (name === 'or')) return value;
    }
    return value;
  }

  #call(name: string, operands: readonly Operand[], dot: Value, piped: Value[]): Value {
    if (name === 'and' || name === 'or') return this.#choose(name, operands, dot, piped);
    const make = this.#functions.get(name);
    if (!make) throw new TemplateError(`"${name}" is not a defined function`);
    const values = [...operands.map((one) => this.#operand(one, dot)), ...piped];
    try {
      return make(...values);
    } catch (error) {
      if (error instanceof TemplateError) throw new TemplateError(`error calling ${name}: ${error.message}`);
      throw error;
    }
  }
}

export const execute = (templates: Templates, functions: Functions, data: Value): string =>
  new Execution(templates, functions, data).run(data);
