/** The context of a deployment as text: what was given, what is deployed, and what follows from both. */
import { contextMetadata, guardType, namedMetadata } from './names.ts';

export type Context = Readonly<Record<string, string>>;

/** What the template of a deployed installation records of its context. */
export interface DeployedContext {
  context: Context;
  /** The settings that its deployment named. */
  named: readonly string[];
  /** The stored format, which versions before format 2 did not record in the table. */
  format?: number;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isContext = (value: unknown): value is Context =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** What installations have that were deployed before these settings existed. */
const former: Context = { multiRegionKey: 'false' };

interface Template {
  Metadata?: Record<string, unknown>;
  Resources?: Record<string, { Type: string; Properties?: { Format?: string } }>;
}

/** What the last resource of a deployment records. */
const formatIn = ({ Resources = {} }: Template): number | undefined => {
  const guard = Object.values(Resources).find(({ Type }) => Type === guardType);
  return guard?.Properties?.Format === undefined ? undefined : Number(guard.Properties.Format);
};

/** Of a template without a record, as of another product, nothing. */
export const deployedIn = (template: string | undefined): DeployedContext => {
  try {
    const parsed = JSON.parse(template ?? '') as Template;
    const { Metadata = {} } = parsed;
    const [context, named] = [Metadata[contextMetadata], Metadata[namedMetadata]];
    const format = formatIn(parsed);
    return {
      context: isContext(context) ? { ...former, ...context } : {},
      named: isNames(named) ? named : [],
      ...(format !== undefined && { format }),
    };
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
