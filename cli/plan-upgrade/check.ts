/** Has the control plane look into the workload cluster, which it reaches where this machine may not. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import { wasAvailable } from '../../kinds/core/contract/target.ts';
import { isPaused } from '../../kinds/operations/shared/scope.ts';
import type { Finding } from '../../kinds/operations/upgrade-check/checks/facts.ts';
import type { CheckFinding, UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import { checkAnnotation } from '../../kinds/operations/upgrade-check/need.ts';
import { messageOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';

export interface CheckOptions {
  /** A version such as v1.36.2. */
  target: string;
  now: number;
  /** Seconds until the control plane must have answered. */
  timeout: number;
}

/** What was found, or why nothing was. */
export type Checked = { findings: Finding[]; at: string } | { unknown: string };

/** Milliseconds between two reads. */
const pause = 1000;

const findingOf = ({ code, status, object, message, remedy }: CheckFinding): Finding => ({
  code,
  level: status === 'Error' ? 'Refuse' : 'Warn',
  ...(status === 'Unknown' && { isUnknown: true }),
  object,
  message,
  remedy,
});

const omitted = (count: number, name: string): Finding => ({
  code: 'MoreFindings',
  level: 'Warn',
  object: `UpgradeCheck ${name}`,
  message: `${count} further findings are not listed`,
  remedy: 'Solve these first',
});

const answerOf = ({ metadata, status = {} }: UpgradeCheck): Checked => ({
  findings: [
    ...(status.findings ?? []).map(findingOf),
    ...(status.omitted ? [omitted(status.omitted, metadata.name)] : []),
  ],
  at: status.lastRefresh ?? '',
});

/** Why the control plane does not look into the cluster. */
const obstacleOf = (cluster: Cluster): string | undefined => {
  if (isPaused(cluster)) return 'The Cluster is paused';
  return wasAvailable(cluster) ? undefined : 'The Cluster was never Available';
};

export const checkedByControlPlane = async (
  client: ApiClient,
  cluster: Cluster,
  { target, now, timeout }: CheckOptions,
): Promise<Checked> => {
  const obstacle = obstacleOf(cluster);
  if (obstacle !== undefined) return { unknown: obstacle };
  const { namespace = '', name } = cluster.metadata;
  const all = `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/upgradechecks`;
  const path = `${all}/${encodeURIComponent(name)}`;
  const before = await client.find<UpgradeCheck>(path);
  const request = `${target} ${new Date(now).toISOString()}`;
  const annotations = { [checkAnnotation]: request };
  const asked = before
    ? await client.request('PATCH', path, {
        body: JSON.stringify({ metadata: { uid: before.metadata.uid, annotations } }),
        contentType: 'application/merge-patch+json',
      })
    : await client.request('POST', all, {
        body: JSON.stringify({
          apiVersion: 'capstan.dev/v1alpha1',
          kind: 'UpgradeCheck',
          metadata: { name, annotations },
          spec: { clusterName: name },
        }),
      });
  if (asked.code >= 400) {
    // A viewer may not ask, and reads what was found last.
    if (before?.status?.target === target) return answerOf(before);
    return { unknown: messageOf(asked) };
  }
  for (const end = Date.now() + timeout * 1000; ; await delay(pause)) {
    const check = await client.find<UpgradeCheck>(path);
    if (check?.status?.request === request) return answerOf(check);
    if (Date.now() >= end) {
      const operation = cluster.metadata.annotations?.['capstan.dev/operation'];
      const why = operation ? `; it may be busy with ClusterOperation ${operation}` : '';
      return { unknown: `The control plane has not answered within ${timeout} s${why}` };
    }
  }
};
