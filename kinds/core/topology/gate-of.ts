/** The gate of a Cluster, whose extensions are read when a hook may be due. Pure. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { LifecycleHook } from '../../common/hook-names.ts';
import { askExtensions } from '../../ports/extensions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { answersOf, hookAnnotations, pendingHooks } from '../contract/lifecycle-hooks.ts';
import { Gate } from './gate.ts';

export interface HookContext {
  now: number;
  /** A dry run takes every hook to let it pass. */
  isTrial?: boolean;
}

export interface ReadGate {
  gate: Gate;
  isUnread: () => boolean;
}

export const gateOf = (cluster: Cluster, read: Reader, { now, isTrial }: HookContext): ReadGate => {
  const { namespace = '', annotations = {} } = cluster.metadata;
  let isUnread = false;
  const isHandled = (hook: LifecycleHook): boolean => {
    if (isTrial) return false;
    const handlers = askExtensions(read, 'Handlers', { namespace });
    if (handlers.state === 'unread') isUnread = true;
    return found(handlers)?.some((one) => one.hook === hook) ?? false;
  };
  const holds = Object.keys(annotations).filter((name) => name.startsWith(hookAnnotations.beforeUpgrade));
  const facts = { isHandled, answers: answersOf(cluster), pending: pendingHooks(cluster), now };
  return { gate: new Gate({ ...facts, holds: isTrial ? [] : holds.toSorted() }), isUnread: () => isUnread };
};
