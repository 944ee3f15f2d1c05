/** Requested faults of the account, validated so that a misspelled fault is an error instead of never striking. */
import { actionNames, type FaultSpec, zoneNames } from '../simulation/aws/index.ts';
import { nearest } from './similar-names.ts';

/** Why a request is invalid, as a message for its sender. */
export class BadFault extends Error {}

const texts = ['action', 'code', 'message', 'region', 'zone', 'type', 'market'] as const;
const fields = new Set<string>([...texts, 'count', 'afterEffect']);

const checkKnown = (what: string, names: readonly string[], name: string): void => {
  if (names.includes(name)) return;
  const near = nearest(names, name);
  throw new BadFault(
    `unknown ${what} ${JSON.stringify(name)}${near.length ? `; did you mean ${near.join(' or ')}?` : ''}`,
  );
};

/** Throws BadFault. */
export const faultOf = (request: unknown): FaultSpec => {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw new BadFault('a fault is a JSON object');
  const fault = request as Record<string, unknown>;
  for (const [name, value] of Object.entries(fault)) {
    if (!fields.has(name)) throw new BadFault(`a fault has no ${name}`);
    if (texts.some((text) => text === name) && (typeof value !== 'string' || value === ''))
      throw new BadFault(`${name} must be a text`);
  }
  const { action, code, zone, market, count, afterEffect } = fault as Partial<FaultSpec>;
  if (action === undefined || code === undefined) throw new BadFault('a fault has an action and a code');
  if (action !== '*') checkKnown('action', actionNames, action);
  if (zone !== undefined) checkKnown('zone', zoneNames, zone);
  if (market !== undefined) checkKnown('market', ['on-demand', 'spot'], market);
  if (count !== undefined && !(Number.isSafeInteger(count) && count > 0))
    throw new BadFault('count must be a whole number above 0');
  if (afterEffect !== undefined && typeof afterEffect !== 'boolean')
    throw new BadFault('afterEffect must be true or false');
  return fault as unknown as FaultSpec;
};
