/**
 * What the evaluation of a CEL expression may cost. The library evaluates without any bound, so each
 * step of its evaluation is counted: its nodes are told to spend before they run. A string costs by
 * its length where it is made, and what is compared costs by its size, so that no function is given
 * more than the budget allows.
 */

/** Evaluated nodes, and tens of characters. */
export const costOfCall = 1_000_000;
export const costOfObject = 10_000_000;

class OverBudget extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

let left = Number.POSITIVE_INFINITY;
const spend = (cost: number): void => {
  left -= cost;
  if (left < 0) throw new OverBudget();
};

const sizes = new WeakMap<object, number>();
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return 1 + value.length / 10;
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const parts = value instanceof Map ? [...value.values()] : Object.values(value);
  const size = parts.reduce((sum: number, part) => sum + sizeOf(part), 1);
  sizes.set(value, size);
  return size;
};

/** A node of the library's syntax tree. The first evaluation gives it a method of its own. */
interface Node {
  op: string;
  args: unknown;
  evaluate: (this: Node, ...rest: unknown[]) => unknown;
  /** An operand of a comparison. */
  isCompared?: boolean;
}

const comparisons = new Set(['==', '!=', 'in']);

const costOf = (node: Node, value: unknown): number => {
  if (typeof value === 'string') return value.length / 10;
  return node.isCompared ? sizeOf(value) : 0;
};

/** Makes all nodes count, given any one of them. */
export const countSteps = (anyNode: unknown): void => {
  const prototype = Object.getPrototypeOf(anyNode) as Node;
  const first = prototype.evaluate;
  prototype.evaluate = function counted(this: Node, ...rest: unknown[]) {
    if (comparisons.has(this.op)) for (const child of this.args as Node[]) child.isCompared = true;
    const run = (evaluate: Node['evaluate']) => {
      spend(1);
      const value = evaluate.apply(this, rest);
      spend(costOf(this, value));
      return value;
    };
    try {
      return run(first);
    } finally {
      const own = this.evaluate;
      if (Object.hasOwn(this, 'evaluate'))
        this.evaluate = function again(this: Node, ...more: unknown[]) {
          spend(1);
          const value = own.apply(this, more);
          spend(costOf(this, value));
          return value;
        };
    }
  };
};

export type Evaluated = { value: unknown } | { error: Error } | { isOver: true };

/** Evaluates within a budget; also returns what it cost. */
export const evaluateWithin = (budget: number, evaluate: () => unknown): { result: Evaluated; cost: number } => {
  left = budget;
  let result: Evaluated;
  try {
    result = { value: evaluate() };
  } catch (error) {
    result = { error: error as Error };
  }
  // An operator may have dropped the error of one of its operands.
  if (left < 0) result = { isOver: true };
  const cost = budget - left;
  left = Number.POSITIVE_INFINITY;
  return { result, cost };
};
