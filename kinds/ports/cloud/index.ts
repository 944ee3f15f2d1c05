/**
 * The cloud port: the actions of AWS that Capstan uses, under AWS's names and with the parameters in
 * use. A folder holds a service's actions, a file those of one resource. Every call names a region.
 * Source: the AWS API references.
 */
import type { AssumedRole, CloudActions, SessionCredentials } from './actions.ts';

export type * from './actions.ts';
export * from './error.ts';
export type { Filter, Tag, TagSpecifications } from './shared.ts';

export type CloudAction = keyof CloudActions;
export type CloudInput<A extends CloudAction> = CloudActions[A][0];
export type CloudOutput<A extends CloudAction> = CloudActions[A][1];

/**
 * The only way to call AWS. Counting, throttling, fault injection and permissions go by the
 * action's name. Throws CloudError.
 */
export interface Cloud {
  call<A extends CloudAction>(region: string, action: A, input: CloudInput<A>): Promise<CloudOutput<A>>;
  /** Calls as another caller, perhaps in another account. Absent: it has only one caller. */
  as?(caller: Caller): Cloud;
}

/** Another caller than the process. */
export interface Caller {
  /** The account that the calls go to. */
  account: string;
  /** Valid credentials, renewed when they expire. Throws CloudError. */
  credentials: () => Promise<SessionCredentials>;
}

/** The roles that are assumed one after the other; the last one calls. Empty: the installation itself calls. */
export type Principal = readonly AssumedRole[];

const reads = /^(Describe|Get|List)/;
export const isMutating = (action: string): boolean => !reads.test(action);

/**
 * The region of the same partition that every account has enabled, where questions about regions
 * are answered.
 */
export const homeRegion = (region: string): string => {
  if (region.startsWith('us-gov-')) return 'us-gov-west-1';
  return region.startsWith('cn-') ? 'cn-north-1' : 'us-east-1';
};
