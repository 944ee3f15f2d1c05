/** CEL expressions, compiled with Kubernetes' library and evaluated within a budget. */
import { Environment } from '@marcbachmann/cel-js';
import { memoize } from '../api/memoize.ts';
import { countSteps } from './budget.ts';
import { matchesName, registerLibrary } from './library.ts';
import { parseLiterals } from './literals.ts';

export type Scope = Record<string, unknown>;
export type Program = (scope: Scope) => unknown;

/** Knows the library, and takes every other name for a variable. */
export const baseEnvironment = registerLibrary(
  new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: 20_000,
      maxDepth: 200,
      maxListElements: 10_000,
      maxMapEntries: 10_000,
      maxCallArguments: 32,
    },
  }),
);
parseLiterals(baseEnvironment);
countSteps((baseEnvironment.parse('0') as unknown as { ast: unknown }).ast);

/** An environment that knows the variables of an expression, and reports all others. */
export const checkingEnvironment = (variables: Readonly<Record<string, string>>): Environment =>
  Object.entries(variables).reduce(
    (environment, [name, type]) => environment.registerVariable(name, type),
    baseEnvironment.clone({ unlistedVariablesAreDyn: false }),
  );

interface Node {
  op: string;
  args: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value;

/** Has patterns matched by RE2. */
const withOwnMatches = (tree: unknown): void => {
  if (Array.isArray(tree)) for (const part of tree) withOwnMatches(part);
  if (!isNode(tree)) return;
  const { op, args } = tree;
  if ((op === 'rcall' || op === 'call') && Array.isArray(args) && args[0] === 'matches') args[0] = matchesName;
  withOwnMatches(args);
};

/** A program with its check against the types of its environment. Throws for what does not parse. */
export const parse = (expression: string, environment: Environment = baseEnvironment) => {
  const program = environment.parse(expression) as unknown as Program & {
    ast: unknown;
    check(): { valid: boolean; type?: string; error?: Error };
  };
  withOwnMatches(program.ast);
  return program;
};

const mostPrograms = 5000;
/** Compiles in an environment; an expression that does not parse gives its error. */
export const compilerOf = (environment: Environment): ((expression: string) => Program | Error) =>
  memoize(mostPrograms, (expression) => {
    try {
      return parse(expression, environment);
    } catch (error) {
      return error as Error;
    }
  });

export const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0]!;

const shownReason = (text: string): string =>
  text
    .replace(/^no such overload: (\S+) (\S+) (\S+)$/s, "found no matching overload for '_$2_' applied to '($1, $3)'")
    .replace(/^Unknown variable: (.*)$/s, "undeclared reference to '$1' (in container '')")
    .replace(/^No such key: (.*)$/s, "undefined field '$1'");

/** An error of an expression with its place, as cel-go prints it. */
const issueOf = (expression: string, error: unknown): string => {
  const { range } = error as { range?: { start: number } };
  const before = expression.slice(0, range?.start ?? 0).split('\n');
  const [line, column] = [before.length, before.at(-1)!.length];
  const text = expression.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${shownReason(firstLine(error))}\n | ${text}\n | ${'.'.repeat(column)}^`;
};

export type Checked = { type: string } | { issue: string };

/** The type of an expression, or why it cannot be compiled. */
export const check = (expression: string, environment: Environment): Checked => {
  try {
    const { valid, type = 'dyn', error } = parse(expression, environment).check();
    return valid ? { type } : { issue: issueOf(expression, error) };
  } catch (error) {
    return { issue: issueOf(expression, error) };
  }
};

/** How an evaluation failed, in cel-go's words. */
export const shownError = (error: unknown): string => {
  const text = firstLine(error);
  if (/^(found )?no (such|matching) overload/.test(text)) return 'no such overload';
  return text.replace(/^No such key: /, 'no such key: ');
};
