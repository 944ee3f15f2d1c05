/** Requested trouble of an instance, validated so that a misspelled check is an error instead of healthy. */
import type { InstanceEvent } from '../kinds/ports/cloud/index.ts';
import { type InstanceTrouble, statusChecks } from '../simulation/aws/index.ts';

/** Why a request is invalid, as a message for its sender. */
export class BadTrouble extends Error {}

const codes = ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'];

const eventOf = (value: unknown): InstanceEvent => {
  const { Code, Description = '', NotBefore } = (value ?? {}) as Record<string, unknown>;
  if (typeof Code !== 'string' || !codes.includes(Code)) throw new BadTrouble(`an event is one of ${codes.join(', ')}`);
  if (typeof Description !== 'string') throw new BadTrouble('Description must be a text');
  if (NotBefore === undefined) return { Code, Description };
  if (typeof NotBefore !== 'string' || Number.isNaN(Date.parse(NotBefore)))
    throw new BadTrouble('NotBefore must be a time');
  return { Code, Description, NotBefore };
};

/** Throws BadTrouble. */
export const troubleOf = (request: unknown): InstanceTrouble => {
  const { impaired = [], events = [] } = (request ?? {}) as { impaired?: unknown; events?: unknown };
  if (!Array.isArray(impaired) || !Array.isArray(events))
    throw new BadTrouble('trouble is a JSON object with the lists impaired and events');
  for (const check of impaired)
    if (!statusChecks.includes(check)) throw new BadTrouble(`a status check is one of ${statusChecks.join(', ')}`);
  return { impaired, events: events.map(eventOf) };
};
