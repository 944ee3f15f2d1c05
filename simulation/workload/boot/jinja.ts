/** The part of Jinja that instance data in cloud-init templates needs: expressions, filters, comments, raw blocks, if. */

export type InstanceData = { [name: string]: string | InstanceData };

const templateMark = /^##[ \t]*template:[ \t]*jinja[ \t]*\r?\n/i;
export const isTemplate = (text: string): boolean => templateMark.test(text);

const missing = 'CI_MISSING_JINJA_VAR/';

const look = (data: InstanceData, path: string): string | InstanceData | undefined => {
  const [minuend = '', ...rest] = path.split(/-(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/).map((operand) => operand.trim());
  if (rest.length > 0) {
    // No text can be subtracted from another, but a name with a hyphen reads like that.
    const [left, right] = [minuend.split('.').at(-1), rest[0]];
    throw new Error(
      `Undefined jinja variable: "${left}-${right}". Jinja tried subtraction. Perhaps you meant "${left}_${right}"?`,
    );
  }
  const steps = [...path.matchAll(/(?:^|\.)([A-Za-z_]\w*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/g)];
  if (steps.map(([text]) => text).join('') !== path) throw new Error(`template syntax error in '${path}'`);
  let at: string | InstanceData | undefined = data;
  let before = '';
  for (const [, name, single, double] of steps) {
    // Only the last step may be missing.
    if (at === undefined) throw new Error(`'${before}' is undefined`);
    const key = name ?? single ?? double ?? '';
    at = typeof at === 'object' && Object.hasOwn(at, key) ? at[key] : undefined;
    before = key;
  }
  return at;
};

const literal = (text: string): string | undefined => {
  const [, single, double] = /^(?:'([^']*)'|"([^"]*)")$/.exec(text.trim()) ?? [];
  return single ?? double;
};

type Filter = (value: string | undefined, args: string[]) => string | undefined;
const filters: Record<string, Filter> = {
  default: (value, [fallback]) => value ?? fallback ?? '',
  lower: (value) => value?.toLowerCase(),
  upper: (value) => value?.toUpperCase(),
  trim: (value) => value?.trim(),
  replace: (value, [from = '', to = '']) => value?.replaceAll(from, to),
};

const evaluate = (expression: string, data: InstanceData): string => {
  const [head = '', ...pipes] = expression.split(/\|(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/).map((part) => part.trim());
  const found = literal(head) ?? look(data, head);
  let value = typeof found === 'object' ? JSON.stringify(found) : found;
  for (const pipe of pipes) {
    const [, name = '', list = ''] = /^(\w+)\s*(?:\((.*)\))?$/.exec(pipe) ?? [];
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!filter) throw new Error(`no filter named '${name || pipe}'`);
    value = filter(
      value,
      [...list.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? ''),
    );
  }
  return value ?? `${missing}${head.split('.').at(-1)}`;
};

const holds = (condition: string, data: InstanceData): boolean => {
  const [, path = '', operator, value = ''] = /^(.+?)\s*(?:(==|!=)\s*(.+))?$/.exec(condition.trim()) ?? [];
  const found = look(data, path.trim());
  if (!operator) return found !== undefined && found !== '';
  return (found === literal(value)) === (operator === '==');
};

const token = /\{\{-?([\s\S]*?)-?\}\}|\{%-?\s*([\s\S]*?)\s*-?%\}|\{#[\s\S]*?#\}/g;

/**
 * Renders the text after the template's first line. Throws on what Jinja refuses or this subset
 * does not support.
 */
export const renderTemplate = (text: string, data: InstanceData): string => {
  const source = text.replace(templateMark, '');
  const output: string[] = [];
  const blocks: { taken: boolean; active: boolean }[] = [];
  const isActive = () => blocks.every((block) => block.active);
  let at = 0;
  let raw = false;
  for (const match of source.matchAll(token)) {
    const [whole, expression, statement] = match;
    if (raw && statement !== 'endraw') continue;
    if (isActive()) output.push(source.slice(at, match.index));
    at = match.index + whole.length;
    if (expression !== undefined) {
      if (isActive()) output.push(evaluate(expression.trim(), data));
      continue;
    }
    if (statement === undefined) continue;
    const [, keyword = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(statement) ?? [];
    const block = blocks.at(-1);
    if (keyword === 'raw') raw = true;
    else if (keyword === 'endraw') raw = false;
    else if (keyword === 'if') {
      const taken = holds(rest, data);
      blocks.push({ taken, active: taken });
    } else if (keyword === 'elif' && block) {
      block.active = !block.taken && holds(rest, data);
      block.taken ||= block.active;
    } else if (keyword === 'else' && block) {
      block.active = !block.taken;
      block.taken = true;
    } else if (keyword === 'endif' && block) blocks.pop();
    else throw new Error(`Encountered unknown tag '${keyword}'`);
  }
  if (blocks.length > 0 || raw) throw new Error('Unexpected end of template');
  output.push(source.slice(at));
  return output.join('');
};
