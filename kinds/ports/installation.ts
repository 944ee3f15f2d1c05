/**
 * State of an installation besides its objects: its mark in the account, and the resources in the
 * account that carry its tag.
 */

import { emptyLists, type Listed } from './lists.ts';
import { asks, calls } from './port.ts';

/** Why an installation is frozen until an operator resumes it. */
export type FreezeReason =
  /** The account has a mark, and no object in this store matches it. */
  | 'ObjectsLost'
  /** The account was acted on after these objects were stored. */
  | 'ObjectsOlder'
  /** These objects were acted on, but in another account or in another state of this one. */
  | 'AccountDiffers';

export type Freeze = {
  /** Identifies this freeze; an operator writes it to lift exactly this one. */
  id: string;
  reason: FreezeReason;
  message: string;
};

/**
 * The position of the objects when the account was last acted on, and the regions of those calls.
 */
export type Mark = {
  position: number;
  /** Every region that was ever acted on. */
  regions: string[];
};

/**
 * Stores the mark in the account itself, so that it is lost or restored together with the account.
 */
export interface Marker {
  read(): Promise<Mark | undefined>;
  /**
   * The furthest of all marks in the account: a slow writer may have overwritten it with an older
   * one.
   */
  furthest(): Promise<Mark | undefined>;
  /** Returns when the mark is durable. */
  write(mark: Mark): Promise<void>;
}

export type TaggedResource = {
  /** The service's resource type, such as natgateway or elastic-ip. */
  type: string;
  /** The service's identifier: an id, an ARN, or a parameter's name. */
  id: string;
  tags: Record<string, string>;
};

/**
 * A region in list pages: the resources with the tags, and all load balancers and target groups,
 * whose pages show no tags.
 */
export type Survey = Listed & {
  /** Secrets and parameters. */
  secrets: TaggedResource[];
};

export const emptySurvey: Survey = {
  ...emptyLists(),
  secrets: [],
};

export interface InstallationReads {
  State: [Record<string, never>, { freeze?: Freeze; regions: string[] }];
  /** Every resource in a region that carries the tags and costs money or blocks a deletion. */
  Resources: [{ region: string; tags: Record<string, string> }, { resources: TaggedResource[] }];
  /** Only the requested lists; the others are empty. */
  Survey: [{ region: string; tags: Record<string, string>; of: (keyof Survey)[] }, Survey];
}

export interface InstallationEffects {
  /** Without effect on any other freeze than the named one. */
  Thaw: { id: string };
  /** For the operators' log. */
  Report: { total: number; orphans: string[] };
  /** Requeues objects for a controller, as if they had changed. */
  Wake: { controller: string; objects: { namespace: string; name: string }[] };
}

export const askInstallation = asks<InstallationReads>('installation');
export const callInstallation = calls<InstallationEffects>('installation');
