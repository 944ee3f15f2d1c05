/** What a deployment changes of the settings, which the changes of resources show only as an environment. */
import { type Context, changedIn } from '../../cdk/context.ts';

const shown = (value: string | undefined): string => value ?? 'its default';

/** A line for each setting; the values as a user gives them. A pure function. */
export const renderSettings = (before: Context, after: Context): string[] => {
  const names = changedIn(before, after);
  if (names.length === 0) return [];
  return ['Settings', ...names.map((name) => `  ~ ${name}: ${shown(before[name])} → ${shown(after[name])}`), ''];
};
