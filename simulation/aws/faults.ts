/** Injected faults: which call fails, how, and how often. */
import { CloudError } from '../../kinds/ports/cloud/index.ts';
import type { Records } from '../ports.ts';

export interface FaultSpec {
  /** An action's name, or `*`. */
  action: string;
  /** AWS's code, such as InsufficientInstanceCapacity. */
  code: string;
  message?: string;
  region?: string;
  /** Only calls about this zone. */
  zone?: string;
  /** Only launches of this instance type. */
  type?: string;
  /** Only launches in this market. */
  market?: Market;
  /** How many calls fail; absent = unlimited. */
  count?: number;
  /** The call takes effect, and then its response is lost. */
  afterEffect?: boolean;
}
export type Market = 'on-demand' | 'spot';
export interface Fault extends FaultSpec {
  id: string;
}

/** The properties of a call that faults can select by. */
export interface Subject {
  action: string;
  region: string;
  zone?: string;
  type?: string;
  market?: Market;
}

export interface Faults {
  add(fault: FaultSpec): Fault;
  list(): Fault[];
  /** One, or all. */
  clear(id?: string): void;
  /** Consumes one failure of the first matching fault. */
  strike(subject: Subject, kind: FaultKind): CloudError | undefined;
}

/**
 * Capacity faults strike at the capacity check, after idempotency and validation. A launch fault whose code
 * begins with `Server.` or `Client.` strikes later: the instance starts and terminates with that reason.
 */
export type FaultKind = 'before' | 'capacity' | 'after' | 'later';

const capacityCodes = new Set([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientReservedInstanceCapacity',
  'InsufficientAddressCapacity',
  'InsufficientFreeAddressesInSubnet',
  'Unsupported',
  'VcpuLimitExceeded',
  'InstanceLimitExceeded',
  'MaxSpotInstanceCountExceeded',
  'SpotMaxPriceTooLow',
]);
const kindOf = (fault: Fault): FaultKind => {
  if (fault.afterEffect) return 'after';
  if (fault.action !== 'RunInstances') return 'before';
  if (/^(Server|Client)\./.test(fault.code)) return 'later';
  return capacityCodes.has(fault.code) ? 'capacity' : 'before';
};

const messages: Record<string, (subject: Subject) => string> = {
  InsufficientInstanceCapacity: ({ type, zone }) =>
    `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity. You can currently get ${type} capacity by not specifying an Availability Zone in your request or choosing another one.`,
  RequestLimitExceeded: () => 'Request limit exceeded.',
  Throttling: () => 'Rate exceeded',
  ThrottlingException: () => 'Rate exceeded',
  UnauthorizedOperation: () => 'You are not authorized to perform this operation.',
  InternalError: () => 'An internal error has occurred',
  ServiceUnavailable: () => 'Service is unavailable. Please try again shortly.',
};

const fits = (fault: Fault, subject: Subject): boolean =>
  (fault.action === '*' || fault.action === subject.action) &&
  (fault.region === undefined || fault.region === subject.region) &&
  (fault.zone === undefined || fault.zone === subject.zone) &&
  (fault.type === undefined || fault.type === subject.type) &&
  (fault.market === undefined || fault.market === subject.market);

export const createFaults = (records: Records<Fault>): Faults => ({
  add: (spec) => {
    const last = Math.max(0, ...records.entries().map(([id]) => Number(id.slice('fault-'.length))));
    const fault: Fault = { ...spec, id: `fault-${last + 1}` };
    records.put(fault.id, fault);
    return fault;
  },
  list: () => records.entries().map(([, fault]) => fault),
  clear: (id) => {
    for (const [known] of records.entries()) if (id === undefined || id === known) records.delete(known);
  },
  strike: (subject, kind) => {
    const fault = records
      .entries()
      .map(([, candidate]) => candidate)
      .find((candidate) => kindOf(candidate) === kind && fits(candidate, subject));
    if (!fault) return undefined;
    if (fault.count !== undefined) {
      if (fault.count <= 1) records.delete(fault.id);
      else records.put(fault.id, { ...fault, count: fault.count - 1 });
    }
    const standard = Object.hasOwn(messages, fault.code) ? messages[fault.code] : undefined;
    const message = fault.message ?? standard?.(subject) ?? `${fault.code} (injected)`;
    return new CloudError(fault.code, message);
  },
});
