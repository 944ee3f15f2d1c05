/** Watches, changes and delays that several controllers share. */
import type { Part, Watch } from '../../machinery/api/wiring.ts';

/** Delays watches that only update a status: changes come in bursts, and no user waits for each. */
export const soon = 1;
/**
 * An object's templates may be created after it and deleted before it, and clients may remove their
 * owner references.
 */
export const templates: Watch[] = [
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
];

/** For aggregates: runs after the counts that they are computed from. */
export const later = 2;
/** For status details: other changes within this time share the pass. */
export const aside = 5;
/** For counts whose owners report them sooner. */
export const seldom = 15;
/** Message-only changes: with the 30 s debounce they appear within a minute. */
export const messageOnly = 20;

/** Everything except the status. */
export const allButStatus: Part[] = ['created', 'deleted', 'deleting', 'metadata', 'labels', 'spec'];
/** For controllers that wait for these latches alone. */
export const latches: Part[] = [...allButStatus, 'latched'];
/** Changes that affect a decision, not only a message. */
export const decisive: Part[] = [...allButStatus, 'facts'];
export const counted: Part[] = ['created', 'deleted', 'deleting', 'labels', 'spec', 'verdict', 'latched'];
/**
 * The progress of a controller's object, without the metadata in which that controller notes its
 * steps.
 */
export const progress: Part[] = ['deleting', 'labels', 'spec', 'facts'];
/** Existence and deletion. */
export const existence: Part[] = ['created', 'deleted', 'deleting', 'labels'];
/** Machines that the controller created, and those that it may select. */
export const machines: Watch[] = [
  { kind: 'Machine', to: 'owner', on: decisive, after: soon },
  { kind: 'Machine', to: 'owner', after: messageOnly },
  { kind: 'Machine', to: 'members', on: ['labels'], by: 'clients', after: later },
];
/** What a Cluster's members follow. */
export const directed: Part[] = [...existence, 'direction'];
/**
 * What the Cluster's infrastructure follows. A Cluster's deletion does not count: each part is
 * deleted itself.
 */
export const admitting: Part[] = ['created', 'deleted', 'direction'];
/** Spec changes by users. Controllers only fill in the endpoint, which few controllers read. */
export const specified: Watch = { kind: 'Cluster', to: 'members', on: ['spec'], by: 'clients' };
