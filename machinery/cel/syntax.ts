/** What the library keeps to itself of its parser, types and evaluator, as far as extensions use it. */

export interface Type {
  kind: string;
  name: string;
  keyType?: Type;
  valueType?: Type;
  isDynOrBool(): boolean;
  matches(other: Type): boolean;
}

/** A registered type of objects. Without fields it takes any. */
export interface Declaration {
  name: string;
  ctor: abstract new (...args: never[]) => unknown;
  fields?: Readonly<Record<string, Type>>;
}

/** The variables that a node sees. */
export interface Context {
  forkWithVariable(name: string, type: Type): Context;
  /** Takes the outer variables of an evaluation. */
  reuse(outer: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

/** An operator: how a node with it is checked and evaluated. */
export interface Operator<Args> {
  name: string;
  check(checker: Checker, node: Node<Args>, context: Context): Type;
  evaluate(evaluator: Evaluator, node: Node<Args>, context: Context): unknown;
}

export interface Node<Args = unknown> {
  op: string;
  args: Args;
  clone<Other>(operator: Operator<Other>, args: Other): Node<Other>;
}

export interface Checker {
  check(node: Node, context: Context): Type;
  getType(name: string): Type;
  createError(code: string, message: string, node: Node): Error;
  registry: {
    getListType(item: Type): Type;
    getMapType(key: Type, value: Type): Type;
    getOptionalType(value: Type): Type;
  };
  objectTypes: ReadonlyMap<string, Declaration>;
}

export interface Evaluator {
  run(node: Node, context: Context): unknown;
  objectTypes: ReadonlyMap<string, Declaration>;
  createError(code: string, message: string, node: Node): Error;
}

/** What a macro is expanded from. */
export interface Call {
  ast: Node;
  args: Node[];
  receiver: Node;
  methodName: string;
  parser: Parser;
}

/** Kinds of tokens by the library's numbers. */
export const token = { identifier: 5, mapStart: 25, mapEnd: 26, comma: 28, colon: 29, question: 30 };

export interface Parser {
  /** Kind of the current token. */
  type: number;
  readonly value: unknown;
  /** Throws unless the current token is of the kind. */
  consume(type: number): unknown;
  parse(input: string): Node;
  parseExpression(): Node;
  parsePrimary(): Node;
  parsePostfix(): Node;
  parseList(): Node;
  parseMap(): Node;
}

/** The name of a variable that a macro declares. */
export const variableName = ({ op, args }: Node): string => {
  if (op !== 'id') throw new Error('argument must be a simple name');
  return args as string;
};
