/** Creates ids, and finds the resources that a caller names by id. */
import type { Random } from '../../machinery/ports.ts';
import type { Stored } from './collection.ts';
import { missingParameter, refuse } from './errors.ts';
import { isStale } from './staleness.ts';
import type { Call } from './state.ts';
import { type TagSource, tagsFor } from './tags.ts';

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => Math.floor(random.next() * 16).toString(16)).join('');

/** Such as `vpc-` and 17 hexadecimal digits. */
export const newId = (random: Random, prefix: string): string => `${prefix}-${hex(random, 17)}`;
export const newHex = hex;
export const newUuid = (random: Random): string => [8, 4, 4, 4, 12].map((digits) => hex(random, digits)).join('-');

/** The part that all new records share; tags are validated. */
export const newRecord = (
  call: Call,
  prefix: string,
  type: string,
  tags: TagSource,
  alsoMade: string[] = [],
): Stored => ({
  id: newId(call.account.random, prefix),
  region: call.region,
  seq: call.account.nextSeq(),
  created: call.now,
  tags: tagsFor(type, tags, alsoMade),
});

/** A service's messages about ids of one type. */
export interface IdErrors {
  prefix: string;
  notFound: string;
  malformed: string;
  /** `ids` quoted and joined. */
  message: (ids: string) => string;
}

export const idErrorsOf = (prefix: string, code: string, name: string): IdErrors => ({
  prefix,
  notFound: `${code}.NotFound`,
  malformed: `${code}.Malformed`,
  message: (ids) => (ids.includes(',') ? `The ${name}s '${ids}' do not exist` : `The ${name} '${ids}' does not exist`),
});

const wellFormed = /^([0-9a-f]{8}|[0-9a-f]{17})$/;

/** Refuses malformed ids of this type. */
export const checkId = (id: string, { prefix, malformed }: IdErrors): void => {
  if (!id) missingParameter(`${prefix} id`);
  if (!id.startsWith(`${prefix}-`) || !wellFormed.test(id.slice(prefix.length + 1)))
    refuse(malformed, `Invalid id: "${id}" (expecting "${prefix}-...")`);
};

export const notFound = (ids: string[], { notFound: code, message }: IdErrors): never =>
  refuse(code, message(ids.join(', ')));

/** The record with that id in the call's region; a new one may not be visible yet. */
export const named = <T extends Stored>(
  call: Call,
  collection: { get(id: string): T | undefined },
  id: string,
  idErrors: IdErrors,
): T => {
  checkId(id, idErrors);
  const record = collection.get(id);
  if (!record || record.region !== call.region || isStale(call, record)) return notFound([id], idErrors);
  return record;
};
