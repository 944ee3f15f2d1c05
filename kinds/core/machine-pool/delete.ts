/** The deletion of a MachinePool: its Machines, its infrastructure and bootstrap config, then its Nodes. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type ConditionDraft, type Context, found, type Read } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { callWorkload } from '../../ports/index.ts';
import { holdAmong } from '../contract/hold.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Observed } from './observe.ts';

export interface Deletion {
  actions: Action[];
  deleting: ConditionDraft;
  finished: boolean;
  requeueAfter?: number;
}

const step = (reason: string, message: string): ConditionDraft => ({
  type: 'Deleting',
  status: 'True',
  reason,
  message,
});

/** Seconds. An event wakes the controller; this covers a lost one. */
const resyncInterval = 60;
/** Seconds between attempts to delete Nodes. */
const nodeInterval = 5;
/** Consecutive failures after which an expired deletion of Nodes gives up: one may be transient. */
const enough = 2;

const remove = (objects: readonly KubeObject[]): Action[] =>
  objects.filter((object) => !isDeleting(object)).map((object) => ({ ...deletionOf(object), group: object.kind }));

const waitFor = (objects: readonly KubeObject[], reason: string): Deletion => {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')}, ... (${names.length - 5} more)` : names.join(', ');
  const hold = holdAmong(objects);
  return {
    actions: remove(objects),
    deleting: step(reason, `Waiting for ${shown} to be deleted${hold === undefined ? '' : `\n* ${hold}`}`),
    finished: false,
    requeueAfter: resyncInterval,
  };
};

const unreadable = (reads: readonly Read<unknown>[]): Deletion | undefined => {
  const read = reads.find(({ state }) => state === 'unread' || state === 'unreadable');
  if (!read) return undefined;
  const why = read.state === 'unreadable' ? read.reason : 'not read yet';
  return {
    actions: [],
    deleting: step('InternalError', `The parts of the pool cannot be read: ${why}`),
    finished: false,
    requeueAfter: resyncInterval,
  };
};

/** With its cluster, a Node goes anyway; 0 seconds are no limit. */
const isOver = ({ pool, now }: Observed, { lastFailure, attempts }: Context): boolean => {
  const seconds = pool.spec?.template.spec.deletion?.nodeDeletionTimeoutSeconds ?? 0;
  const wasRefused = lastFailure?.port === 'workload' && attempts >= enough;
  return wasRefused && seconds > 0 && now - Date.parse(pool.metadata.deletionTimestamp ?? '') > seconds * 1000;
};

const done: Deletion = { actions: [], deleting: step('DeletionCompleted', 'Deletion completed'), finished: true };

const deleteNodes = (observed: Observed, context: Context): Deletion => {
  const { pool, cluster, access, nodes } = observed;
  const of = found(cluster);
  const names = nodes.map(({ name }) => name);
  if (names.length === 0 || !access || !of || isDeleting(of) || isOver(observed, context)) return done;
  const target = { ...access, apiVersion: 'v1', kind: 'Node' };
  return {
    actions: names.map((name) => callWorkload('delete', { ...target, name })),
    deleting: step('DeletingNodes', `Deleting Nodes ${names.slice(0, 5).join(', ')} of ${pool.metadata.name}`),
    // Only once every call has succeeded.
    finished: true,
    requeueAfter: nodeInterval,
  };
};

export const decideDeletion = (observed: Observed, context: Context): Deletion => {
  const { machines, infrastructure, bootstrapConfig } = observed;
  const parts = [infrastructure, ...(bootstrapConfig ? [bootstrapConfig] : [])];
  const blocked = unreadable([machines, ...parts]);
  if (blocked) return blocked;
  const members = found(machines) ?? [];
  if (members.length > 0) return waitFor(members, 'WaitingForMachinesDeletion');
  const host = found(infrastructure);
  if (host) return waitFor([host], 'WaitingForInfrastructureDeletion');
  const config = bootstrapConfig && found(bootstrapConfig);
  return config ? waitFor([config], 'WaitingForBootstrapDeletion') : deleteNodes(observed, context);
};
