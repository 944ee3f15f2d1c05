import { Option } from 'commander';
import { renderTable } from './table.ts';

export const outputOption = () => new Option('-o, --output <format>').choices(['json']);

/** The output of a command. */
export type Print = (text: string) => void;

/** Items as a table or as JSON. */
export const renderItems = <T>(
  items: T[],
  format: string | undefined,
  header: string[],
  cells: (item: T) => string[],
): string => {
  if (format === 'json') return JSON.stringify({ items }, null, 2);
  return items.length === 0 ? 'No resources found.' : renderTable([header, ...items.map(cells)]);
};

/** How the user would type a command: through npm, or as `capstan` on the PATH. */
export const typed = (args: string): string =>
  process.env.npm_lifecycle_event === undefined ? `capstan ${args}` : `npm run capstan -- ${args}`;

/** A word quoted for the shell. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
