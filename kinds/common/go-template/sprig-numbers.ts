/** sprig's functions of numbers. */
import type { GoFunction } from './execute.ts';
import { TemplateError } from './nodes.ts';
import { stringIn, toFloat, toWhole } from './operands.ts';

type Whole = (left: bigint, right: bigint) => bigint;
const folded =
  (combine: Whole): GoFunction =>
  (...values) =>
    values.map(toWhole).reduce(combine);
type Fraction = (left: number, right: number) => number;
const foldedFloat =
  (combine: Fraction): GoFunction =>
  (...values) =>
    values.map(toFloat).reduce(combine);

const nonZero = (value: bigint): bigint => {
  if (value === 0n) throw new TemplateError('integer divide by zero');
  return value;
};

const rounded: GoFunction = (value, places, half = 0.5) => {
  const scale = 10 ** Number(toWhole(places));
  const digit = scale * toFloat(value);
  const fraction = Math.abs(digit - Math.trunc(digit));
  const up = toFloat(value) < 0 ? Math.floor(digit) : Math.ceil(digit);
  return (fraction >= toFloat(half) ? up : Math.trunc(digit)) / scale;
};

const octal: GoFunction = (value) => {
  const text = String(value);
  return /^[0-7]+$/.test(text) ? BigInt(`0o${text}`) : 0n;
};
const smaller: Whole = (left, right) => (right < left ? right : left);
const larger: Whole = (left, right) => (right > left ? right : left);

export const numbers: Record<string, GoFunction> = {
  int: toWhole,
  int64: toWhole,
  float64: toFloat,
  atoi: (text) => (/^[+-]?\d+$/.test(stringIn(text)) ? BigInt(stringIn(text)) : 0n),
  toDecimal: octal,
  add: (...values) => values.map(toWhole).reduce((left, right) => left + right, 0n),
  add1: (value) => toWhole(value) + 1n,
  sub: (left, right) => toWhole(left) - toWhole(right),
  mul: folded((left, right) => left * right),
  div: (left, right) => toWhole(left) / nonZero(toWhole(right)),
  mod: (left, right) => toWhole(left) % nonZero(toWhole(right)),
  max: folded(larger),
  biggest: folded(larger),
  min: folded(smaller),
  addf: foldedFloat((left, right) => left + right),
  add1f: (value) => toFloat(value) + 1,
  subf: foldedFloat((left, right) => left - right),
  mulf: foldedFloat((left, right) => left * right),
  divf: foldedFloat((left, right) => left / right),
  maxf: foldedFloat(Math.max),
  minf: foldedFloat(Math.min),
  floor: (value) => Math.floor(toFloat(value)),
  ceil: (value) => Math.ceil(toFloat(value)),
  round: rounded,
};
