/** What an expression of Jinja is worth. Pure. */
import type { Arguments, Expression } from './expression.ts';
import { filters, growing, methods, tests } from './filters.ts';
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
import { sizeOf, type Work } from './work.ts';

export interface Scope {
  names: Mapping;
  work: Work;
}

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

const calculate = (operator: string, left: Value, right: Value, work: Work): Value => {
  if (operator === '-') return subtract(left, right);
  refuseMissing(left);
  refuseMissing(right);
  if (operator === '+') {
    if (typeof left === 'number' && typeof right === 'number') return left + right;
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    throw unsuitable('+', left, right);
  }
  if (operator === '*' && typeof left === 'string' && typeof right === 'number') {
    work.spend(left.length * Math.max(0, right));
    return left.repeat(Math.max(0, right));
  }
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

/** Before it is called: it may look for each argument at every place of the value, or put it there. */
const spendOn = (name: string, value: Value, args: readonly Value[], work: Work): void => {
  if (!growing.has(name)) return;
  const sizes = args.map((one) => (typeof one === 'number' ? Math.abs(one) : sizeOf(one)));
  work.spend(sizeOf(value) * Math.max(1, ...sizes));
};

const callOf = (of: Expression, args: Arguments, scope: Scope): Value => {
  const { work } = scope;
  const positional = args.positional.map((one) => evaluate(one, scope));
  const named = Object.fromEntries(Object.entries(args.named).map(([name, one]) => [name, evaluate(one, scope)]));
  if (of.is === 'attribute') {
    const target = evaluate(of.of, scope);
    refuseMissing(target);
    const method = Object.hasOwn(methods, of.name) ? methods[of.name] : undefined;
    if (method) {
      spendOn(of.name, target, positional, work);
      return method(target, positional, named);
    }
    refuseMissing(memberOf(target, of.name));
    throw new TemplateError('type', `'${of.name}' is not callable`);
  }
  if (of.is === 'name' && of.name === 'range') {
    const [first = 0, second] = positional.map(Number);
    const [from, to] = second === undefined ? [0, first] : [first, second];
    const length = Math.max(0, to - from);
    work.spend(length);
    return Array.from({ length }, (_, i) => from + i);
  }
  refuseMissing(evaluate(of, scope));
  throw new TemplateError('unsupported', 'this call is not supported here');
};

const resultOf = (expression: Expression, scope: Scope): Value => {
  const { names, work } = scope;
  const of = (one: Expression) => evaluate(one, scope);
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
      return callOf(expression.of, expression.args, scope);
    case 'filter': {
      const named = Object.fromEntries(Object.entries(expression.args.named).map(([name, one]) => [name, of(one)]));
      const [value, args] = [of(expression.of), positional(expression.args)];
      spendOn(expression.name, value, args, work);
      return filters[expression.name]!(value, args, named);
    }
    case 'test': {
      const [value, args] = [of(expression.of), positional(expression.args)];
      spendOn(expression.name, value, args, work);
      return tests[expression.name]!(value, args);
    }
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
      spendOn(operator, left, [right], work);
      const relation = Object.hasOwn(relations, operator) ? relations[operator] : undefined;
      return relation ? relation(left, right) : calculate(operator, left, right, work);
    }
  }
};

/** Throws a TemplateError where Jinja refuses it, or where it makes more work than is left. */
export const evaluate = (expression: Expression, scope: Scope): Value => {
  const value = resultOf(expression, scope);
  scope.work.spend(sizeOf(value));
  return value;
};
