/** The context of a deployment as text: what was given, what is deployed, and what follows from both. */
import { contextMetadata, namedMetadata } from './names.ts';

export type Context = Readonly<Record<string, string>>;

/** What the template of a deployed installation records of its context. */
export interface DeployedContext {
  context: Context;
  /** The settings that its deployment named. */
  named: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isContext = (value: unknown): value is Context =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** What installations have that were deployed before these settings existed. */
const former: Context = { multiRegionKey: 'false' };

/** Of a template without a record, as of another product, nothing. */
export const deployedIn = (template: string | undefined): DeployedContext => {
  try {
    const { Metadata = {} } = JSON.parse(template ?? '') as { Metadata?: Record<string, unknown> };
    const [context, named] = [Metadata[contextMetadata], Metadata[namedMetadata]];
    return { context: isContext(context) ? { ...former, ...context } : {}, named: isNames(named) ? named : [] };
  } catch {
    return { context: {}, named: [] };
  }
};

/** Given values override deployed ones, and an empty value restores the default. */
export const mergedContext = (deployed: Context, given: Context): Context =>
  Object.fromEntries(Object.entries({ ...deployed, ...given }).filter(([, value]) => value !== ''));

/** Names whose values differ. */
export const changedIn = (before: Context, after: Context): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]).sort();
