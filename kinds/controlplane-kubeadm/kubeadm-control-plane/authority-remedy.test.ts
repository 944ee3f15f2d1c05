import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOf, graphOf } from '../../common/causes/index.ts';
import { kubeadmControlPlaneCauses } from './causes.ts';

const snapshot = (name: string, completedAt: string, kept: string[], ready = 'True'): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: { namespace: 'team', name },
  spec: { clusterName: 'c' },
  status: { completedAt, keys: { kept }, conditions: [{ type: 'Ready', status: ready }] },
});
const all = ['c-ca', 'c-etcd'];
const commandsFor = (message: string, ...snapshots: KubeObject[]) => {
  const controlPlane: KubeObject = {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    metadata: { namespace: 'team', name: 'c' },
    spec: {},
    status: { conditions: [{ type: 'CertificatesAvailable', status: 'False', reason: 'NotAvailable', message }] },
  };
  const graph = graphOf({ objects: [controlPlane, ...snapshots], rules: [kubeadmControlPlaneCauses] });
  return causesOf(controlPlane, graph)[0]?.commands;
};

const annotate = (name: string) =>
  `kubectl annotate etcdsnapshot ${name} -n team --overwrite capstan.dev/restore-keys="$(date)"`;
const replaced = (name: string) => [
  `kubectl get secret ${name} -n team -o yaml > ${name}.yaml`,
  `kubectl delete secret ${name} -n team`,
];
const damaged = 'Secret c-ca: tls.crt is not a certificate in PEM';

it.each([
  {
    rule: 'deletes a damaged one, and has it made again from the newest snapshot that keeps it',
    message: damaged,
    snapshots: [snapshot('new', '2026-11-02T00:00:00Z', all), snapshot('old', '2026-11-01T00:00:00Z', all)],
    runs: [...replaced('c-ca'), annotate('new')],
  },
  {
    rule: 'deletes nothing that is absent',
    message: 'Secret c-etcd does not exist with tls.crt and tls.key',
    snapshots: [snapshot('one', '2026-11-01T00:00:00Z', all)],
    runs: [annotate('one')],
  },
  {
    rule: 'treats each as it is',
    message: `${damaged}; Secret c-etcd does not exist with tls.crt and tls.key`,
    snapshots: [snapshot('one', '2026-11-01T00:00:00Z', all)],
    runs: [...replaced('c-ca'), annotate('one')],
  },
  { rule: 'deletes nothing without a snapshot', message: damaged, snapshots: [], runs: [] },
  {
    rule: 'deletes nothing that no good snapshot keeps',
    message: damaged,
    snapshots: [
      snapshot('other', '2026-11-01T00:00:00Z', ['c-etcd']),
      snapshot('damaged', '2026-11-02T00:00:00Z', all, 'False'),
    ],
    runs: [],
  },
])('the remedy of an authority $rule', ({ message, snapshots, runs }) =>
  expect(commandsFor(message, ...snapshots)).toEqual(runs));
