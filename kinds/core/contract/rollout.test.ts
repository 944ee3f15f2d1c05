import { expect, it } from 'vitest';
import type { ObjectTarget } from './object-targets.ts';
import { asAdmitted } from './rollout.ts';
import { operationAnnotations } from './target.ts';

const restored = {
  operation: 'demo-restore-1',
  uid: 'restore',
  step: 'Join' as const,
  location: 'a.db',
  checksum: 'sha256:ab',
  hosts: [],
};

const clusterOf = (
  target: ObjectTarget['target'] | undefined,
  isAvailable: boolean,
  restore?: ObjectTarget['restore'],
) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: {
    name: 'demo',
    annotations: {
      ...(isAvailable && { [operationAnnotations.wasAvailable]: 'true' }),
      [operationAnnotations.operation]: 'demo-restore-1',
      ...(target && {
        [operationAnnotations.objectTargets]: JSON.stringify({
          'KubeadmControlPlane/demo': { target, revision: 'a', restore },
        }),
      }),
    },
  },
});
const running = [{ version: 'v1.35.0' }];

it.each<{
  rule: string;
  target?: ObjectTarget['target'];
  isAvailable?: boolean;
  workflows?: boolean;
  versions?: { version: string }[];
  restore?: ObjectTarget['restore'];
  is: string;
}>([
  { rule: 'whose change no operation has admitted', is: 'v1.35.0' },
  { rule: 'that was rolled back', target: 'RollBack', is: 'v1.35.0' },
  {
    rule: 'that is being rolled back',
    target: 'RollBack',
    versions: [...running, { version: 'v1.36.0' }],
    is: 'v1.36.0',
  },
  { rule: 'whose change is admitted', target: 'Build', is: 'v1.36.0' },
  { rule: 'that is being restored', target: 'Restore', restore: { ...restored, version: 'v1.35.2' }, is: 'v1.35.2' },
  {
    rule: 'that was being restored when the next restore was named',
    target: 'Restore',
    restore: { ...restored, operation: 'demo-restore-0', version: 'v1.35.2' },
    is: 'v1.35.2',
  },
  { rule: 'whose restore an older release began', target: 'Restore', restore: restored, is: 'v1.36.0' },
  { rule: 'of a cluster that is being created', isAvailable: false, is: 'v1.36.0' },
  { rule: 'without operations', workflows: false, is: 'v1.36.0' },
])('a control plane $rule has the version $is', ({
  target,
  isAvailable = true,
  workflows = true,
  versions,
  restore,
  is,
}) => {
  const controlPlane = {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    metadata: { name: 'demo' },
    spec: { version: 'v1.36.0' },
    status: { version: 'v1.35.0', versions: versions ?? running },
  };
  expect(asAdmitted(clusterOf(target, isAvailable, restore), controlPlane, { workflows }).spec).toEqual({
    version: is,
  });
});
