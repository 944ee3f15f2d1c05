/** Whether a new cluster can begin with the snapshot of another one. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { awsInfrastructure } from '../../infrastructure-aws/provider.ts';
import type { CopyReport } from '../../ports/snapshots.ts';
import {
  absent,
  annotated,
  clusterOf,
  clusterStateOf,
  found,
  objectOf,
  operationOf,
} from '../cluster-operation/operation.fixture.ts';
import type { OperationScope } from '../shared/scope.ts';
import { copyNameOf, copyOrigin, judgeOrigin, noteOrigin, type Origin, originAnnotation } from './origin.ts';

const cluster = (more: Record<string, string> = {}, spec: object = {}) =>
  clusterOf({ ...annotated({ 'capstan.dev/restore-from': 'saved', ...more }), spec });
const ready = (reason = 'Complete', message = '') => [{ type: 'Ready', status: 'True', reason, message }];
const file = { location: 'i/u/f.db', checksum: 'sha256:ab', revision: 7, kubernetesVersion: 'v1.35.1' };
const snapshot = (status: object = {}): KubeObject =>
  objectOf('EtcdSnapshot', 'saved', {
    spec: { clusterName: 'former' },
    status: { phase: 'Succeeded', ...file, conditions: ready(), ...status },
  });
const report: CopyReport = { detached: [], unsearched: [], encryption: [] };
const copy = (more: Partial<CopyReport> = {}, status: object = {}): KubeObject =>
  objectOf('EtcdSnapshot', 'copy', {
    status: { phase: 'Succeeded', ...file, conditions: ready(), copy: { ...report, ...more }, ...status },
  });
const controlPlane = found(objectOf('KubeadmControlPlane', 'demo-cp', { spec: { replicas: 3, version: 'v1.35.0' } }));

const scopeOf = (origin: Partial<Origin> = {}, of = cluster()): OperationScope =>
  ({
    cluster: of,
    operation: operationOf(undefined),
    clusterState: clusterStateOf(of, {
      controlPlane,
      provider: awsInfrastructure,
      origin: {
        original: found(snapshot()),
        copy: found(copy()),
        encryption: undefined,
        etcd: { isManaged: true, version: undefined },
        ...origin,
      },
    }),
  }) as unknown as OperationScope;

const keys = (text: string): Origin['encryption'] => found(text);
const aescbc =
  'resources:\n- resources: [secrets]\n  providers:\n  - aescbc:\n      keys:\n      - name: key1\n        secret: c2VjcmV0\n';

describe('the origin of a cluster', () => {
  it.each<{ rule: string; origin?: Partial<Origin>; of?: ReturnType<typeof cluster>; verdict: string; says: RegExp }>([
    { rule: 'is its copy', verdict: 'done', says: /begins with EtcdSnapshot copy, a copy of saved$/ },
    {
      rule: 'names what is left out, and counts what is made again',
      origin: {
        copy: found(
          copy({
            detached: [
              { what: 'Services of type LoadBalancer', count: 1, names: ['a/b'] },
              { what: 'Nodes', count: 3, names: ['x', 'y', 'z'] },
            ],
          }),
        ),
      },
      verdict: 'done',
      says: /to the other cluster: 1 Services of type LoadBalancer \(a\/b\); 3 Nodes$/,
    },
    { rule: 'must exist', origin: { original: absent }, verdict: 'refused', says: /saved, .* does not exist/ },
    {
      rule: 'is awaited while it is taken',
      origin: { original: found(snapshot({ phase: 'Running' })) },
      verdict: 'pending',
      says: /waiting for EtcdSnapshot saved, which is Running/,
    },
    {
      rule: 'must not have failed',
      origin: { original: found(snapshot({ phase: 'Failed' })) },
      verdict: 'refused',
      says: /saved is Failed, and has no file/,
    },
    {
      rule: 'must be of the same minor version',
      origin: { original: found(snapshot({ kubernetesVersion: 'v1.34.9' })) },
      verdict: 'refused',
      says: /is of Kubernetes v1.34.9, but KubeadmControlPlane demo-cp asks for v1.35.0/,
    },
    {
      rule: 'must not be of another etcd',
      origin: { original: found(snapshot({ etcdVersion: '3.5.24' })), etcd: { isManaged: true, version: '3.6.6-0' } },
      verdict: 'refused',
      says: /is of etcd 3.5.24, but the control plane asks for etcd 3.6.6-0/,
    },
    {
      rule: 'needs an etcd of the control plane',
      origin: { etcd: { isManaged: false, version: undefined } },
      verdict: 'refused',
      says: /only a control plane that manages its etcd/,
    },
    { rule: 'waits for its copy', origin: { copy: absent }, verdict: 'pending', says: /waiting for a copy/ },
    {
      rule: 'must be copied',
      origin: { copy: found(copy({}, { phase: 'Failed' })) },
      verdict: 'refused',
      says: /EtcdSnapshot copy failed/,
    },
    {
      rule: 'needs the keys that it is encrypted with',
      origin: { copy: found(copy({ encryption: ['aescbc:v1:key1'] })) },
      verdict: 'refused',
      says: /encrypted with aescbc:v1:key1, which no --encryption-provider-config/,
    },
    {
      rule: 'needs the key of that name',
      origin: { copy: found(copy({ encryption: ['aescbc:v1:key2'] })), encryption: keys(aescbc) },
      verdict: 'refused',
      says: /encrypted with aescbc:v1:key2/,
    },
    {
      rule: 'needs the key of that provider',
      origin: {
        copy: found(copy({ encryption: ['secretbox:v1:key1'] })),
        encryption: keys(`${aescbc}  - secretbox: {keys: [{name: key3}]}\n`),
      },
      verdict: 'refused',
      says: /encrypted with secretbox:v1:key1/,
    },
    {
      rule: 'needs keys that can be read',
      origin: { copy: found(copy({ encryption: ['aescbc:v1:key1'] })), encryption: keys(`${aescbc}  -x: [`) },
      verdict: 'refused',
      says: /encrypted with aescbc:v1:key1/,
    },
    {
      rule: 'has the key of a service',
      origin: {
        copy: found(copy({ encryption: ['kms:v2:vault'] })),
        encryption: keys('resources: [{providers: [{kms: {apiVersion: v2, name: vault}}, {identity: {}}]}]'),
      },
      verdict: 'done',
      says: /begins with/,
    },
    {
      rule: 'has the keys',
      origin: { copy: found(copy({ encryption: ['aescbc:v1:key1'] })), encryption: keys(aescbc) },
      verdict: 'done',
      says: /begins with/,
    },
    {
      rule: 'must not hide what names other resources',
      origin: { copy: found(copy({ unsearched: ['Services of type LoadBalancer'] })) },
      verdict: 'refused',
      says: /Services of type LoadBalancer are encrypted in it/,
    },
    {
      rule: 'keeps the addresses of Services',
      origin: { copy: found(copy({ serviceSubnet: '10.128.0.0/12' })) },
      verdict: 'refused',
      says: /addresses of 10.128.0.0\/12, not of 10.96.0.0\/12: set spec.clusterNetwork.services/,
    },
    {
      rule: 'keeps the domain of Services',
      origin: { copy: found(copy({ dnsDomain: 'a.local', serviceSubnet: '10.128.0.0/12' })) },
      of: cluster({}, { clusterNetwork: { services: { cidrBlocks: ['10.128.0.0/12'] } } }),
      verdict: 'refused',
      says: /in the domain a.local, not cluster.local/,
    },
  ])('$rule', ({ origin, of, verdict, says }) => {
    const judgement = judgeOrigin(scopeOf(origin, of));
    const { message, waitsFor } = { message: undefined, waitsFor: undefined, ...judgement };
    expect(judgement?.verdict).toBe(verdict);
    expect(message ?? waitsFor).toMatch(says);
  });

  it('is none for a cluster that begins empty', () => {
    expect(judgeOrigin(scopeOf({}, clusterOf()))).toBeUndefined();
  });

  it('is copied once nothing speaks against it, without what the annotation names', () => {
    const of = cluster({ 'capstan.dev/restore-without': 'deployments/kube-system/external-dns, argoproj.io' });
    const [action] = copyOrigin(scopeOf({ copy: absent }, of));
    const object = (action as { object: KubeObject }).object;
    const { source, reason } = object.spec as { reason: string; source: { name: string; without: { keys: string }[] } };
    expect(object.metadata.name).toBe(copyNameOf(of));
    expect([reason, source.name]).toEqual(['Copy', 'saved']);
    expect(source.without.slice(0, 2).map(({ keys: one }) => one)).toEqual([
      ['deployments/kube-system/external-dns'],
      ['argoproj.io'],
    ]);
    expect(JSON.stringify(source.without)).toContain('cluster-name=former');
    expect(copyOrigin(scopeOf({ copy: absent, original: found(snapshot({ kubernetesVersion: 'v1.33.0' })) }))).toEqual(
      [],
    );
    expect(copyNameOf(of)).not.toBe(copyNameOf(cluster()));
  });

  it('is written beside the target, as the preflight has proven it', () => {
    const status = noteOrigin(scopeOf(), {});
    expect(status.snapshot).toEqual({ location: file.location, checksum: file.checksum, revision: 7 });
    const { 'capstan.dev/etcd-origin': text = '' } = originAnnotation(scopeOf(), status);
    expect(JSON.parse(text)).toEqual({ location: file.location, checksum: file.checksum });
    expect(originAnnotation(scopeOf({}, clusterOf()), {})).toEqual({});
  });
});
