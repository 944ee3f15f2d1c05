/**
 * Literals that the library does not parse: of objects with a type, such as `Object.spec{replicas: 3}`,
 * and optional entries of maps and lists, such as `{?'a': object.?spec}`.
 */
import { type Environment, Optional } from '@marcbachmann/cel-js';
import {
  type Call,
  type Checker,
  type Context,
  type Declaration,
  type Evaluator,
  type Node,
  type Operator,
  type Parser,
  type Type,
  token,
} from './syntax.ts';

/** The value of a literal with a type. Its fields are its own properties. */
export class ObjectLiteral {
  readonly #type: string;
  constructor(type: string, fields: Iterable<readonly [string, unknown]>) {
    this.#type = type;
    for (const [name, value] of fields)
      Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true });
  }
  static typeOf(literal: ObjectLiteral): string {
    return literal.#type;
  }
}

interface Entry {
  key: Node | string;
  value: Node;
  isOptional: boolean;
}

const checkEntry = (checker: Checker, { value, isOptional }: Entry, context: Context): Type => {
  const type = checker.check(value, context);
  if (!isOptional || type.kind === 'dyn') return type;
  if (type.kind !== 'optional')
    throw checker.createError(
      'optional_expected',
      `expected type 'optional_type(dyn)' but found '${type.name}'`,
      value,
    );
  return type.valueType!;
};

/** The value in a list; an empty one of an absent optional. */
const present = (evaluator: Evaluator, { value, isOptional }: Entry, context: Context): unknown[] => {
  const made = evaluator.run(value, context);
  if (!isOptional) return [made];
  if (!(made instanceof Optional))
    throw evaluator.createError('optional_expected', 'cannot initialize optional entry from non-optional value', value);
  return made.hasValue() ? [made.value()] : [];
};

type LiteralClass = new (type: string, fields: Iterable<readonly [string, unknown]>) => ObjectLiteral;

/** The registered type of a literal. Types below it, such as that of `Object.spec`, take any fields. */
const declared = (of: Checker | Evaluator, type: string): Declaration | undefined => {
  const [root] = type.split('.', 1);
  const known = of.objectTypes.get(root!);
  const isLiteral = known?.ctor === ObjectLiteral || known?.ctor.prototype instanceof ObjectLiteral;
  return isLiteral && (root === type || !known.fields) ? known : undefined;
};

const checkField = (checker: Checker, { fields }: Declaration, entry: Entry, context: Context): void => {
  const { key, value } = entry;
  const type = checkEntry(checker, entry, context);
  if (!fields) return;
  const wanted = Object.hasOwn(fields, key as string) ? fields[key as string]! : undefined;
  if (!wanted) throw checker.createError('undefined_field', `undefined field '${key}'`, value);
  if (!wanted.matches(type)) {
    const what = `expected type of field '${key}' is '${wanted.name}' but provided type is '${type.name}'`;
    throw checker.createError('type_mismatch', what, value);
  }
};

const objectLiteral: Operator<{ type: string; fields: Entry[] }> = {
  name: 'object',
  check: (checker, node, context) => {
    const { type, fields } = node.args;
    const known = declared(checker, type);
    if (!known) throw checker.createError('unknown_type', `undeclared reference to '${type}' (in container '')`, node);
    for (const field of fields) checkField(checker, known, field, context);
    return checker.getType(known.name === type ? type : 'dyn');
  },
  evaluate: (evaluator, { args: { type, fields } }, context) => {
    const Literal = declared(evaluator, type)!.ctor as LiteralClass;
    const made = fields.flatMap((field) =>
      present(evaluator, field, context).map((value) => [field.key as string, value] as const),
    );
    return new Literal(type, made);
  },
};

const optionalMap: Operator<Entry[]> = {
  name: 'optional map',
  check: (checker, { args }, context) => {
    for (const entry of args) {
      checker.check(entry.key as Node, context);
      checkEntry(checker, entry, context);
    }
    return checker.getType('map');
  },
  evaluate: (evaluator, { args }, context) =>
    Object.fromEntries(
      args.flatMap((entry) => {
        const key = evaluator.run(entry.key as Node, context);
        return present(evaluator, entry, context).map((value) => [key, value]);
      }),
    ),
};

const optionalList: Operator<Entry[]> = {
  name: 'optional list',
  check: (checker, { args }, context) => {
    for (const entry of args) checkEntry(checker, entry, context);
    return checker.getType('list');
  },
  evaluate: (evaluator, { args }, context) => args.flatMap((entry) => present(evaluator, entry, context)),
};

const parseFields = (parser: Parser): Entry[] => {
  const fields: Entry[] = [];
  parser.consume(token.mapStart);
  while (parser.type !== token.mapEnd) {
    const isOptional = parser.type === token.question;
    if (isOptional) parser.consume(token.question);
    const key = String(parser.value);
    parser.consume(token.identifier);
    parser.consume(token.colon);
    fields.push({ key, value: parser.parseExpression(), isOptional });
    if (parser.type !== token.comma) break;
    parser.consume(token.comma);
  }
  parser.consume(token.mapEnd);
  return fields;
};

/** The name that a chain of identifiers spells. */
const typeNameOf = ({ op, args }: Node): string | undefined => {
  if (op === 'id') return args as string;
  if (op !== '.') return undefined;
  const [left, name] = args as [Node, string];
  const outer = typeNameOf(left);
  return outer === undefined ? undefined : `${outer}.${name}`;
};

/** Items and keys after a question mark, until their list or map takes them. */
let optional = new Set<Node>();
const takesOptional = (node: Node): boolean => optional.delete(node);

const prototypeOf = (environment: Environment): Parser => {
  let found: Parser | undefined;
  const probe = ({ args, parser }: Call) => {
    found = parser;
    return { callAst: args[0] };
  };
  environment
    .clone()
    .registerFunction('probe(ast): dyn', probe as never)
    .parse('probe(0)');
  return Object.getPrototypeOf(found!) as Parser;
};

/** Extends the parser of all environments. Those that do not know a type refuse its literals. */
export const parseLiterals = (environment: Environment): void => {
  const prototype = prototypeOf(environment);
  const { parse, parseExpression, parsePostfix, parseList, parseMap } = prototype;
  prototype.parse = function (input) {
    optional = new Set();
    const node = parse.call(this, input);
    if (optional.size > 0) throw new Error("Syntax error: '?' is not expected here");
    return node;
  };
  prototype.parseExpression = function () {
    if (this.type !== token.question) return parseExpression.call(this);
    this.consume(token.question);
    const node = parseExpression.call(this);
    optional.add(node);
    return node;
  };
  prototype.parsePostfix = function () {
    const expression = parsePostfix.call(this);
    const type = this.type === token.mapStart ? typeNameOf(expression) : undefined;
    if (type === undefined) return expression;
    const literal = expression.clone(objectLiteral, { type, fields: parseFields(this) });
    // What follows the literal is read as after any other operand.
    this.parsePrimary = () => {
      Reflect.deleteProperty(this, 'parsePrimary');
      return literal;
    };
    return this.parsePostfix();
  };
  prototype.parseList = function () {
    const list = parseList.call(this) as Node<Node[]>;
    const items = list.args.map((value) => ({ key: '', value, isOptional: takesOptional(value) }));
    return items.some(({ isOptional }) => isOptional) ? list.clone(optionalList, items) : list;
  };
  prototype.parseMap = function () {
    const map = parseMap.call(this) as Node<[Node, Node][]>;
    const entries = map.args.map(([key, value]) => ({ key, value, isOptional: takesOptional(key) }));
    return entries.some(({ isOptional }) => isOptional) ? map.clone(optionalMap, entries) : map;
  };
};
