import { Option } from 'commander';
import { renderTable } from './table.ts';

export const outputOption = () => new Option('-o, --output <format>').choices(['json']);

/** Where a command writes what it found. */
export type Print = (text: string) => void;

/** Items as a table, or as JSON when that is the format. */
export const renderItems = <T>(
  items: T[],
  format: string | undefined,
  header: string[],
  cells: (item: T) => string[],
): string => {
  if (format === 'json') return JSON.stringify({ items }, null, 2);
  return items.length === 0 ? 'No resources found.' : renderTable([header, ...items.map(cells)]);
};

/** A command of this program as its user typed this one: through npm, or as `capstan` on the PATH. */
export const typed = (words: string): string =>
  process.env.npm_lifecycle_event === undefined ? `capstan ${words}` : `npm run capstan -- ${words}`;

/** A word as a shell reads it: a path may have spaces. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
