import { expect, it } from 'vitest';
import type { Workload } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { clientOf } from '../client.fixture.ts';
import { planClusterUpgrade } from './index.ts';

const core = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default';
const controlPlanes = '/apis/controlplane.cluster.x-k8s.io';
const object = (kind: string, name: string, spec: object, status: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
  status,
});
const ref = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' };
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const served: Record<string, object> = {
  [`${core}/clusters/demo`]: object('Cluster', 'demo', { controlPlaneRef: ref }),
  [controlPlanes]: { versions: [{ version: 'v1beta2' }] },
  [`${controlPlanes}/v1beta2/namespaces/default/kubeadmcontrolplanes/cp`]: object('KubeadmControlPlane', 'cp', {
    version: 'v1.35.0',
    replicas: 3,
  }),
  [`${core}/machinedeployments`]: { items: [] },
  [`${core}/machinedrainrules`]: { items: [] },
  [`${core}/machines`]: { items: [object('Machine', 'm', { version: 'v1.35.0' }, ready)] },
  '/api/v1/namespaces/default/secrets/demo-kubeconfig': { data: { value: 'Y29uZmln' } },
};
const client = clientOf(async ({ url }) => {
  const body = served[new URL(url).pathname];
  return body ? Response.json(body) : Response.json({ message: 'not found' }, { status: 404 });
});
const run = async (to: string, listed: Record<string, KubeObject[]> = {}, output?: 'json', by = client) => {
  const printed: string[] = [];
  const read = async (_: string, { kind }: { kind: string }) => ({ items: listed[kind] ?? [] });
  const options = { to, workloadOf: () => ({ read }) as unknown as Workload, ...(output && { output }) };
  const code = await planClusterUpgrade(by, 'demo', options, (text) => printed.push(text));
  return { code, text: printed.join('\n') };
};

it.each<{ rule: string; to: string; listed: Record<string, KubeObject[]>; code: number; says: RegExp }>([
  { rule: 'no finding exists', to: 'v1.36.0', listed: {}, code: 0, says: /0 problems, 0 warnings/ },
  {
    rule: 'only warnings exist',
    to: 'v1.36.0',
    listed: { Node: [object('Node', 'n', { unschedulable: true })] },
    code: 3,
    says: /0 problems, 1 warning\n\nwarning {2}NodeCordoned {2}Node n/,
  },
  {
    rule: 'problems exist',
    to: '1.38.0',
    listed: {},
    code: 4,
    says: /problem {2}MinorSkipped {2}KubeadmControlPlane cp/,
  },
])('exits with $code if $rule', async ({ to, listed, code, says }) => {
  const ran = await run(to, listed);
  expect(ran.text).toMatch(says);
  expect(ran.code).toBe(code);
});

it('reports that the workload cluster could not be read', async () => {
  const refusing = () => ({ read: () => Promise.reject(new Error('connection refused')) });
  const printed: string[] = [];
  const code = await planClusterUpgrade(client, 'demo', { to: 'v1.36.0', workloadOf: refusing }, (text) =>
    printed.push(text),
  );
  expect(printed.join()).toContain('connection refused');
  expect(code).toBe(4);
});

it('reports that etcd is not checked for users who cannot read its CA', async () => {
  const message = 'secrets "demo-etcd" is forbidden';
  const restricted = clientOf(async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith('/secrets/demo-etcd')) return Response.json({ message }, { status: 403 });
    const body = served[pathname];
    return body ? Response.json(body) : Response.json({ message: 'not found' }, { status: 404 });
  });
  const etcd = object('Pod', 'etcd-n', { nodeName: 'n', containers: [] });
  const { code, text } = await run('v1.36.0', { Pod: [etcd] }, undefined, restricted);
  expect(text).toMatch(/warning {2}EtcdNotChecked {2}Cluster demo/);
  expect(text).toContain(message);
  expect(code).toBe(3);
});

it('prints the plan as JSON', async () => {
  const { text } = await run('v1.36.0', {}, 'json');
  expect(JSON.parse(text)).toMatchObject({ target: 'v1.36.0', findings: [], stages: [] });
});

it.each([
  { to: 'soon', message: 'is not a version such as v1.36.2' },
  { to: '1.36', message: 'is not a version such as v1.36.2' },
])('refuses the version $to', ({ to, message }) => expect(run(to)).rejects.toThrow(message));

it('reports a cluster that does not exist', () =>
  expect(planClusterUpgrade(client, 'other', { to: 'v1.36.0' })).rejects.toThrow(
    'cluster.cluster.x-k8s.io "other" not found in namespace default',
  ));
