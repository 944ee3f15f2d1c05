/** What an expression of Jinja is worth. Pure. */
import type { Arguments, Expression } from './expression.ts';
import { filters, methods, tests } from './filters.ts';
import {
  isMapping,
  isTrue,
  itemsOf,
  type Mapping,
  Missing,
  missingMark,
  refuseMissing,
  TemplateError,
  textOf,
  unsuitable,
  type Value,
} from './value.ts';

const memberOf = (of: Value, key: string): Value => {
  if (isMapping(of) && Object.hasOwn(of, key)) return of[key]!;
  return new Missing(key);
};

const itemOf = (of: Value, index: Value): Value => {
  refuseMissing(of);
  if (typeof index === 'number' && (Array.isArray(of) || typeof of === 'string'))
    return of.at(index) ?? new Missing(String(index));
  return memberOf(of, textOf(index));
};

/** Undefined names are refused, and a hyphen between two of them is cloud-init's own error. */
const subtract = (left: Value, right: Value): Value => {
  if (left instanceof Missing) {
    const other = textOf(right).replaceAll(missingMark, '');
    throw new TemplateError(
      'type',
      `Undefined jinja variable: "${left.name}-${other}". Jinja tried subtraction. Perhaps you meant "${left.name}_${other}"?`,
    );
  }
  refuseMissing(right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  throw unsuitable('-', left, right);
};

const arithmetic: Record<string, (left: number, right: number) => number> = {
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '//': (left, right) => Math.floor(left / right),
  '%': (left, right) => ((left % right) + right) % right,
  '**': (left, right) => left ** right,
};

const calculate = (operator: string, left: Value, right: Value): Value => {
  if (operator === '-') return subtract(left, right);
  refuseMissing(left);
  refuseMissing(right);
  if (operator === '+') {
    if (typeof left === 'number' && typeof right === 'number') return left + right;
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    throw unsuitable('+', left, right);
  }
  if (operator === '*' && typeof left === 'string' && typeof right === 'number') return left.repeat(right);
  if (operator === '%' && typeof left === 'string')
    throw new TemplateError('unsupported', 'formatting by % is not supported here');
  if (typeof left !== 'number' || typeof right !== 'number') throw unsuitable(operator, left, right);
  if (right === 0 && operator !== '*' && operator !== '**') throw new TemplateError('type', 'division by zero');
  return arithmetic[operator]!(left, right);
};

const isEqual = (left: Value, right: Value): boolean =>
  left instanceof Missing || right instanceof Missing
    ? left instanceof Missing && right instanceof Missing
    : left === right || JSON.stringify(left) === JSON.stringify(right);

const isLess = (left: Value, right: Value): boolean => {
  refuseMissing(left);
  refuseMissing(right);
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string'))
    throw new TemplateError('type', `'<' not supported between instances`);
  return left < (right as typeof left);
};

const isIn = (item: Value, of: Value): boolean => {
  if (typeof of === 'string') return of.includes(textOf(item));
  return itemsOf(of).some((one) => isEqual(one, item));
};

const relations: Record<string, (left: Value, right: Value) => boolean> = {
  '==': isEqual,
  '!=': (left, right) => !isEqual(left, right),
  '<': isLess,
  '>': (left, right) => isLess(right, left),
  '<=': (left, right) => !isLess(right, left),
  '>=': (left, right) => !isLess(left, right),
  in: isIn,
  'not in': (left, right) => !isIn(left, right),
};

const callOf = (of: Expression, args: Arguments, names: Mapping): Value => {
  const positional = args.positional.map((one) => evaluate(one, names));
  const named = Object.fromEntries(Object.entries(args.named).map(([name, one]) => [name, evaluate(one, names)]));
  if (of.is === 'attribute') {
    const target = evaluate(of.of, names);
    refuseMissing(target);
    const method = Object.hasOwn(methods, of.name) ? methods[of.name] : undefined;
    if (method) return method(target, positional, named);
    refuseMissing(memberOf(target, of.name));
    throw new TemplateError('type', `'${of.name}' is not callable`);
  }
  if (of.is === 'name' && of.name === 'range') {
    const [first = 0, second] = positional.map(Number);
    const [from, to] = second === undefined ? [0, first] : [first, second];
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  }
  refuseMissing(evaluate(of, names));
  throw new TemplateError('unsupported', 'this call is not supported here');
};

export const evaluate = (expression: Expression, names: Mapping): Value => {
  const of = (one: Expression) => evaluate(one, names);
  const positional = ({ positional: list }: Arguments) => list.map(of);
  switch (expression.is) {
    case 'constant':
      return expression.value;
    case 'name':
      return memberOf(names, expression.name);
    case 'list':
      return expression.items.map(of);
    case 'dict':
      return Object.fromEntries(expression.items.map(([key, value]) => [textOf(of(key)), of(value)]));
    case 'attribute': {
      const target = of(expression.of);
      refuseMissing(target);
      return memberOf(target, expression.name);
    }
    case 'item':
      return itemOf(of(expression.of), of(expression.index));
    case 'slice': {
      const target = of(expression.of);
      refuseMissing(target);
      if (typeof target !== 'string' && !Array.isArray(target))
        throw new TemplateError('type', 'unhashable type: slice');
      const bound = (one: Expression | undefined) => (one ? Number(of(one)) : undefined);
      return target.slice(bound(expression.from) ?? 0, bound(expression.to));
    }
    case 'call':
      return callOf(expression.of, expression.args, names);
    case 'filter': {
      const named = Object.fromEntries(Object.entries(expression.args.named).map(([name, one]) => [name, of(one)]));
      return filters[expression.name]!(of(expression.of), positional(expression.args), named);
    }
    case 'test':
      return tests[expression.name]!(of(expression.of), positional(expression.args));
    case 'unary': {
      const value = of(expression.of);
      if (expression.operator === 'not') return !isTrue(value);
      refuseMissing(value);
      if (typeof value !== 'number')
        throw new TemplateError('type', `bad operand type for unary ${expression.operator}`);
      return expression.operator === '-' ? -value : value;
    }
    case 'choice':
      if (isTrue(of(expression.condition))) return of(expression.then);
      return expression.otherwise ? of(expression.otherwise) : '';
    case 'binary': {
      const { operator } = expression;
      const left = of(expression.left);
      if (operator === 'and') return isTrue(left) ? of(expression.right) : left;
      if (operator === 'or') return isTrue(left) ? left : of(expression.right);
      const right = of(expression.right);
      if (operator === '~') return textOf(left) + textOf(right);
      const relation = Object.hasOwn(relations, operator) ? relations[operator] : undefined;
      return relation ? relation(left, right) : calculate(operator, left, right);
    }
  }
};
