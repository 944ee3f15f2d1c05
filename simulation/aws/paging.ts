/** Pages: MaxResults and NextToken of EC2, Marker of the load balancing API. */
import type { Stored } from './collection.ts';
import { invalidParameter, refuse } from './errors.ts';
import type { Call } from './state.ts';

export interface PageRequest {
  MaxResults?: number;
  NextToken?: string;
}
export interface Limits {
  least: number;
  most: number;
}

const encode = (seq: number): string => Buffer.from(`after:${seq}`).toString('base64url');
const decode = (token: string): number => {
  const match = /^after:([\d.]+)$/.exec(Buffer.from(token, 'base64url').toString());
  return match ? Number(match[1]) : refuse('InvalidNextToken', `The token '${token}' is invalid`);
};

/** The place in the order of creation after which a token continues. */
export const placeOf = (token: string | undefined): number => (token === undefined ? 0 : decode(token));

interface Part<T> {
  items: T[];
  NextToken?: string;
}

/** The next `size` items in creation order. */
export const partOf = <T extends { seq: number }>(items: T[], token: string | undefined, size: number): Part<T> => {
  const after = placeOf(token);
  const rest = items.filter(({ seq }) => seq > after);
  const found = rest.slice(0, size);
  return found.length === rest.length
    ? { items: found }
    : { items: found, NextToken: encode(found.at(-1)?.seq ?? after) };
};

/**
 * A page of EC2's; everything without MaxResults. A page may be short, or even empty, although more
 * follows.
 */
export const page = <T extends { seq: number }>(
  { account }: Call,
  items: T[],
  { MaxResults, NextToken }: PageRequest,
  { least, most }: Limits,
): Part<T> => {
  if (MaxResults === undefined) return partOf(items, NextToken, items.length);
  const refusal = `Value ( ${MaxResults} ) for parameter maxResults is invalid.`;
  if (MaxResults < least) invalidParameter(`${refusal} Expecting a value greater than ${least}.`);
  if (MaxResults > most) invalidParameter(`${refusal} Expecting a value less than or equal to ${most}.`);
  const { shortPages } = account.behaviour;
  const isShort = shortPages > 0 && account.random.next() < shortPages;
  return partOf(items, NextToken, isShort ? Math.floor(account.random.next() * MaxResults) : MaxResults);
};

const markerPageSize = 400;

/** The load balancing API pages by marker, and always fills its pages. */
export const markerPage = <T extends Stored>(
  items: T[],
  marker: string | undefined,
): { items: T[]; NextMarker?: string } => {
  const { items: found, NextToken } = partOf(items, marker, markerPageSize);
  return { items: found, ...(NextToken !== undefined && { NextMarker: NextToken }) };
};
