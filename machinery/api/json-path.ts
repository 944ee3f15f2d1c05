/**
 * JSONPath of printer columns and scale paths: fields, indices, wildcards, and filters that compare
 * one field.
 */

type Step =
  | { field: string }
  | { index: number }
  | { every: true }
  | { where: string[]; is: '==' | '!=' | 'present'; value?: string | number | boolean };

const quoted = (text: string): string | undefined =>
  /^'([^']*)'$|^"([^"]*)"$/
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);

const literal = (text: string): string | number | boolean => {
  const string = quoted(text);
  if (string !== undefined) return string;
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
};

const filter = (text: string): Step => {
  const compared = /^@\.([\w.\-/]+)\s*(==|!=)\s*(.+)$/.exec(text);
  if (compared) return { where: compared[1]!.split('.'), is: compared[2] as '==', value: literal(compared[3]!.trim()) };
  return { where: text.replace(/^@\.?/, '').split('.'), is: 'present' };
};

const bracket = (text: string): Step => {
  if (text.startsWith('?(')) return filter(text.slice(2, -1).trim());
  if (text === '*') return { every: true };
  const name = quoted(text);
  // In quotes, a backslash still escapes a dot, as in ['example\.com/name'].
  return name === undefined ? { index: Number(text) } : { field: name.replaceAll(/\\(.)/g, '$1') };
};

/** The index of the bracket that closes the one at `from`; brackets in quotes do not count. */
const closing = (path: string, from: number): number => {
  let quote = '';
  for (let at = from; at < path.length; at++) {
    const char = path[at]!;
    if (quote) quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === ']') return at;
  }
  return path.length;
};

const parse = (path: string): Step[] => {
  const steps: Step[] = [];
  let at = 0;
  while (at < path.length) {
    if (path[at] === '[') {
      const end = closing(path, at);
      steps.push(bracket(path.slice(at + 1, end).trim()));
      at = end + 1;
      continue;
    }
    if (path[at] === '.') at++;
    // A backslash keeps a dot inside a field's name, as in .metadata.labels.example\.com/name.
    const name = /^(?:\\.|[^.[\\])+/.exec(path.slice(at))?.[0];
    if (name === undefined) {
      at++;
      continue;
    }
    steps.push(name === '*' ? { every: true } : { field: name.replace(/\\(.)/g, '$1') });
    at += name.length;
  }
  return steps;
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const childrenOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : typeof value === 'object' && value !== null ? Object.values(value) : [];

const walk = (step: Step, value: unknown): unknown[] => {
  if ('field' in step) return [fieldOf(value, step.field)];
  if ('index' in step) return Array.isArray(value) ? [value.at(step.index)] : [];
  if ('every' in step) return childrenOf(value);
  return childrenOf(value).filter((item) => {
    const found = step.where.reduce(fieldOf, item);
    if (step.is === 'present') return found !== undefined;
    return step.is === '==' ? found === step.value : found !== step.value;
  });
};

const parsed = new Map<string, Step[]>();
const stepsOf = (path: string): Step[] => {
  let steps = parsed.get(path);
  if (!steps) {
    steps = parse(path);
    parsed.set(path, steps);
  }
  return steps;
};

/** Every value that the path finds; absent ones are left out. */
export const jsonPath = (path: string, object: unknown): unknown[] =>
  stepsOf(path).reduce<unknown[]>(
    (values, step) => values.flatMap((value) => walk(step, value)).filter((value) => value !== undefined),
    [object],
  );
