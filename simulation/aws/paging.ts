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

/**
 * One page of what is in creation order. Without MaxResults all of it. A page may be short, or even empty, though more
 * follows.
 */
export const page = <T extends { seq: number }>(
  { account }: Call,
  items: T[],
  { MaxResults, NextToken }: PageRequest,
  { least, most }: Limits,
): { items: T[]; NextToken?: string } => {
  if (MaxResults !== undefined && MaxResults < least)
    invalidParameter(
      `Value ( ${MaxResults} ) for parameter maxResults is invalid. Expecting a value greater than ${least}.`,
    );
  if (MaxResults !== undefined && MaxResults > most)
    invalidParameter(
      `Value ( ${MaxResults} ) for parameter maxResults is invalid. Expecting a value less than or equal to ${most}.`,
    );
  const after = NextToken === undefined ? 0 : decode(NextToken);
  const rest = items.filter(({ seq }) => seq > after);
  if (MaxResults === undefined) return { items: rest };
  const { shortPages } = account.behaviour;
  const size =
    shortPages > 0 && account.random.next() < shortPages ? Math.floor(account.random.next() * MaxResults) : MaxResults;
  const found = rest.slice(0, size);
  if (found.length === rest.length) return { items: found };
  return { items: found, NextToken: encode(found.at(-1)?.seq ?? after) };
};

/** The load balancing API pages by marker and a size of its own. */
export const markerPage = <T extends Stored>(
  call: Call,
  items: T[],
  marker: string | undefined,
): { items: T[]; NextMarker?: string } => {
  const { items: found, NextToken } = page(
    call,
    items,
    { MaxResults: 400, ...(marker !== undefined && { NextToken: marker }) },
    { least: 1, most: 400 },
  );
  return { items: found, ...(NextToken !== undefined && { NextMarker: NextToken }) };
};
