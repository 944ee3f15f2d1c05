/** Calls the handlers of a lifecycle hook, and records their answer on the Cluster. */

import type { LifecycleHook } from '../../kinds/common/hook-names.ts';
import { cluster as clusterKind } from '../../kinds/core/cluster/kind.ts';
import { answersOf, type HookAnswer, hookAnnotations } from '../../kinds/core/contract/lifecycle-hooks.ts';
import { topologyController } from '../../kinds/core/contract/topology.ts';
import type { ExtensionsEffects } from '../../kinds/ports/extensions.ts';
import { definitionOf, resourceOf } from '../../machinery/api/kind.ts';
import { timestamp } from '../../machinery/api/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { versionNamed } from '../../machinery/server/applying.ts';
import { shownFromStored } from '../../machinery/server/convert.ts';
import type { Foundation } from '../foundation.ts';
import { callHandler } from './call.ts';
import { selectedIn } from './selected.ts';

/** Requests contain Clusters of this version. */
const requestVersion = 'cluster.x-k8s.io/v1beta1';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export type LifecycleParts = Pick<Foundation, 'store' | 'kinds' | 'writer' | 'clock' | 'callWebhook' | 'registrations'>;

/** A stored Cluster as requests hold it. */
export const shown = async ({ kinds }: Pick<LifecycleParts, 'kinds'>, stored: KubeObject): Promise<JsonObject> => {
  const definition = await definitionOf(kinds.find(clusterKind.group, clusterKind.kind)!);
  const cluster = await shownFromStored(definition, versionNamed(definition, requestVersion), stored);
  const { managedFields: _, annotations = {}, ...metadata } = cluster.metadata;
  const { [lastApplied]: __, ...others } = annotations;
  return { ...cluster, metadata: { ...metadata, annotations: others } } as unknown as JsonObject;
};

interface Aggregate {
  retryAfterSeconds: number;
  messages: string[];
  by: string[];
}

const callAll = async (
  parts: LifecycleParts,
  stored: KubeObject,
  { hook, fields }: Pick<ExtensionsEffects['CallHook'], 'hook' | 'fields'>,
): Promise<Aggregate> => {
  const registered = (await parts.registrations.now()).filter((one) => one.hook === hook);
  const selected = await selectedIn(parts.store, registered, stored.metadata.namespace ?? '');
  const all: Aggregate = { retryAfterSeconds: 0, messages: [], by: [] };
  if (selected.length === 0) return all;
  const request = { cluster: await shown(parts, stored), ...fields };
  for (const registration of selected) {
    const { message, retryAfterSeconds } = await callHandler(parts.callWebhook, registration, request);
    const retry = Number(retryAfterSeconds) || 0;
    if (typeof message === 'string' && message !== '') all.messages.push(message);
    if (retry <= 0) continue;
    all.by.push(registration.name);
    all.retryAfterSeconds = all.retryAfterSeconds === 0 ? retry : Math.min(all.retryAfterSeconds, retry);
  }
  return all;
};

export const callHook = async (
  parts: LifecycleParts,
  { hook, cluster, about, fields }: ExtensionsEffects['CallHook'],
): Promise<void> => {
  const { uid, ...key } = cluster;
  const stored = await parts.store.get(resourceOf(clusterKind), key);
  if (stored?.metadata.uid !== uid) return;
  const { retryAfterSeconds, messages, by } = await callAll(parts, stored, { hook, fields });
  const now = timestamp(parts.clock.now());
  const record = (current: KubeObject): KubeObject | undefined => {
    if (current.metadata.uid !== uid) return undefined;
    const { failed: _, ...answers } = answersOf(current);
    const before = answers[hook as LifecycleHook];
    const answer: HookAnswer = {
      about,
      at: now,
      ...(retryAfterSeconds > 0 && {
        retryAfterSeconds,
        since: before?.about === about && before.since !== undefined ? before.since : now,
        by,
      }),
      ...(messages.length > 0 && { message: messages.join(', ') }),
    };
    const text = JSON.stringify({ ...answers, [hook]: answer });
    const annotations = { ...current.metadata.annotations, [hookAnnotations.answers]: text };
    return { ...current, metadata: { ...current.metadata, annotations } };
  };
  const kind = parts.kinds.find(clusterKind.group, clusterKind.kind)!;
  await parts.writer.update(kind, key, record, { writer: topologyController, retry: true });
};
