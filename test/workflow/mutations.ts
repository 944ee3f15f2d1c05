/** Every small mutation of a definition. */
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import { retry, unavailable } from '../../stepfunctions/complete.ts';

export interface Mutation {
  name: string;
  mutated(): JsonObject;
  /** Words of the stories that should detect it, the likeliest first. */
  near: string[];
}

type Path = (string | number)[];

const at = (value: JsonValue | undefined, path: Path): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((inner, key) => (inner as Record<string | number, JsonValue>)[key], value);

const changed = (definition: JsonObject, change: (copy: JsonObject) => void): JsonObject => {
  const copy = structuredClone(definition);
  change(copy);
  return copy;
};
const replaced = (definition: JsonObject, path: Path, value: JsonValue): JsonObject =>
  changed(definition, (copy) => {
    (at(copy, path.slice(0, -1)) as Record<string | number, JsonValue>)[path.at(-1)!] = value;
  });
const dropped = (definition: JsonObject, path: Path): JsonObject =>
  changed(definition, (copy) => {
    const inside = at(copy, path.slice(0, -1)) as JsonValue[] | JsonObject;
    if (Array.isArray(inside)) inside.splice(Number(path.at(-1)), 1);
    else delete inside[path.at(-1)!];
  });

/** Every primitive value, with its path. */
const leaves = (value: JsonValue | undefined, path: Path = []): [Path, JsonValue][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        leaves(inner, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : [[path, value as JsonValue]];

/** Every removable field and list item. */
const branches = (value: JsonValue | undefined, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const to = [...path, Array.isArray(value) ? Number(key) : key];
        return [to, ...branches(inner, to)];
      })
    : [];

const nextOf = (state: JsonObject): JsonValue | undefined => state.Next ?? state.Default;

/** Redirects all transitions around a state; without a successor, its predecessors end. */
const withoutState = (definition: JsonObject, name: string): JsonObject =>
  changed(definition, (copy) => {
    const states = copy.States as Record<string, JsonObject>;
    const past = nextOf(states[name]!);
    delete states[name];
    if (copy.StartAt === name) copy.StartAt = past;
    for (const [path, value] of leaves(states)) {
      const key = path.at(-1)!;
      if (value !== name || (key !== 'Next' && key !== 'Default')) continue;
      const inside = at(states, path.slice(0, -1)) as JsonObject;
      if (past !== undefined) inside[key] = past;
      else {
        delete inside[key];
        inside.End = true;
      }
    }
  });

/** The retries of an outage, which retries.test.ts plays. */
const ofOutage = retry.findIndex(({ ErrorEquals }) => ErrorEquals === unavailable);

/** Excluded: what only the linter or another test detects, or no execution lives long enough to reach. */
const isUnseen = (path: Path): boolean => {
  const key = path.at(-1);
  if (path[2] === 'Retry' && path[3] === ofOutage) return true;
  return key === 'Comment' || key === 'QueryLanguage' || path.includes('FunctionName') || path.at(2) === 'Type';
};
/** Equal to the default of the language when removed. */
const isDefault = (path: Path, value: JsonValue | undefined): boolean => {
  switch (path.at(-1)) {
    case 'IntervalSeconds':
      return value === 1;
    case 'BackoffRate':
      return value === 2;
    // The last of the intervals is shorter already.
    case 'MaxDelaySeconds':
      return value === 300;
    default:
      return false;
  }
};

const numbered: Record<string, (value: number) => number> = {
  TimeoutSeconds: (value) => value + 1,
  IntervalSeconds: (value) => value + 1,
  BackoffRate: (value) => value + 1,
  MaxAttempts: (value) => (value === 8 ? 7 : value === 0 ? 1 : 3),
  MaxDelaySeconds: (value) => value / 2,
};

/** The notation of an error of Retry or Catch in the stories of a task. */
const signs: Record<string, string> = { 'States.ALL': '*AccessDenied 9', 'States.Timeout': '? 5' };
const nearOf = (definition: JsonObject, [, state, field, index, part, name]: Path): string[] => {
  if (state === undefined) return [];
  // Only this task receives an error, which its stories name.
  const task = state === 'Held' ? 'Held(StepRefused)' : String(state);
  if (field === 'TimeoutSeconds') return [`${task}? 5`];
  if (index === undefined || (field !== 'Retry' && field !== 'Catch')) return [task];
  const named = at(definition, ['States', state, field, index, 'ErrorEquals']) as string[];
  const errors = part === 'ErrorEquals' && name !== undefined ? [named[Number(name)]!] : named;
  return errors.map((error) => task + (signs[error] ?? `!${error}`));
};

export const mutationsOf = (definition: JsonObject): Mutation[] => {
  const states = Object.keys(definition.States as JsonObject);
  const mutation = (name: string, path: Path, mutated: () => JsonObject): Mutation => ({
    name: `${path.join('.')} ${name}`,
    mutated,
    near: nearOf(definition, path),
  });

  const removed = states
    // The definition would have no first state.
    .filter((name) => name !== definition.StartAt || nextOf((definition.States as Record<string, JsonObject>)[name]!))
    .map((name) => mutation('removed', ['States', name], () => withoutState(definition, name)));

  const swapped = leaves(definition)
    .filter(([path]) => ['Next', 'Default', 'StartAt'].includes(String(path.at(-1))))
    .flatMap(([path, to]) =>
      states
        .filter((name) => name !== to && name !== path[1])
        .map((name) => mutation(`leads to ${name}`, path, () => replaced(definition, path, name))),
    );

  const left = branches(definition)
    .filter((path) => path.length > 2 && !isUnseen(path) && !isDefault(path, at(definition, path)))
    .map((path) => mutation('dropped', path, () => dropped(definition, path)));

  const recounted = leaves(definition)
    .filter(([path, value]) => typeof value === 'number' && !isUnseen(path))
    .map(([path, value]) => {
      const other = numbered[String(path.at(-1))]!(value as number);
      return mutation(`is ${other}`, path, () => replaced(definition, path, other));
    });

  const reworded = leaves(definition)
    .filter(([path, value]) => typeof value === 'string' && path.length > 2 && !isUnseen(path))
    .filter(([path]) => !['Next', 'Default'].includes(String(path.at(-1))))
    .map(([path]) => mutation('is another word', path, () => replaced(definition, path, 'Another')));

  const tasks = states.filter((name) => at(definition, ['States', name, 'Type']) === 'Task');
  const renamed = tasks.map((name, index) => {
    const other = tasks.at(index - 1)!;
    const path = ['States', name, 'Arguments', 'Payload', 'task'];
    return mutation(`is ${other}`, path, () => replaced(definition, path, other));
  });

  const emptied = branches(definition)
    .filter((path) => ['Retry', 'Catch', 'ErrorEquals', 'Choices'].includes(String(path.at(-1))) && !isUnseen(path))
    .map((path) => mutation('emptied', path, () => replaced(definition, path, [])));

  return [...removed, ...swapped, ...left, ...recounted, ...reworded, ...renamed, ...emptied];
};
