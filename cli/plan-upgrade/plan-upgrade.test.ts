import { expect, it } from 'vitest';
import type { CheckFinding, UpgradeCheck, UpgradeCheckStatus } from '../../kinds/operations/upgrade-check/index.ts';
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
const available = { 'capstan.dev/was-available': 'true' };
const demo = (metadata: object = {}): KubeObject => {
  const cluster = object('Cluster', 'demo', { controlPlaneRef: ref });
  return { ...cluster, metadata: { ...cluster.metadata, annotations: available, ...metadata } };
};
const checks = '/apis/capstan.dev/v1alpha1/namespaces/default/upgradechecks';
const served: Record<string, object> = {
  [`${core}/clusters/demo`]: demo(),
  [controlPlanes]: { versions: [{ version: 'v1beta2' }] },
  [`${controlPlanes}/v1beta2/namespaces/default/kubeadmcontrolplanes/cp`]: object('KubeadmControlPlane', 'cp', {
    version: 'v1.35.0',
    replicas: 3,
  }),
  [`${core}/machinedeployments`]: { items: [] },
  [`${core}/machinedrainrules`]: { items: [] },
  '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigtemplates': { items: [] },
  [`${core}/machines`]: { items: [object('Machine', 'm', { version: 'v1.35.0' }, ready)] },
};

interface Given {
  cluster?: KubeObject;
  /** What the control plane has found before, and finds when it is asked; absent if it does not answer. */
  before?: UpgradeCheckStatus;
  finds?: CheckFinding[];
  omitted?: number;
  operation?: KubeObject;
  /** Whether the user may write an UpgradeCheck. */
  isViewer?: boolean;
}
const finding = (status: CheckFinding['status'], code: string, object = 'Node n'): CheckFinding => ({
  code,
  category: 'Workload',
  status,
  object,
  message: `about ${code}`,
  remedy: 'mend it',
});

/** A control plane that answers requests at once. */
const controlPlane = ({ cluster = demo(), before, finds, omitted, operation, isViewer = false }: Given) => {
  let check: UpgradeCheck | undefined = before && {
    ...object('UpgradeCheck', 'demo', { clusterName: 'demo' }),
    spec: { clusterName: 'demo' },
    status: before,
  };
  const asked: string[] = [];
  const client = clientOf(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(checks)) {
      if (request.method === 'GET')
        return check ? Response.json(check) : Response.json({ message: 'not found' }, { status: 404 });
      if (isViewer) return Response.json({ message: 'upgradechecks is forbidden' }, { status: 403 });
      const { metadata } = (await request.json()) as UpgradeCheck;
      const wanted = metadata.annotations?.['capstan.dev/check-upgrade'] ?? '';
      asked.push(`${request.method} ${wanted.split(' ')[0]}`);
      const status = { request: wanted, findings: finds ?? [], ...(omitted !== undefined && { omitted }) };
      check = {
        ...object('UpgradeCheck', 'demo', {}),
        spec: { clusterName: 'demo' },
        status: finds ? status : (before ?? {}),
      };
      return Response.json(check);
    }
    const body = pathname.endsWith('/clusters/demo')
      ? cluster
      : pathname.includes('/clusteroperations/')
        ? operation
        : served[pathname];
    return body ? Response.json(body) : Response.json({ message: 'not found' }, { status: 404 });
  });
  return { client, asked };
};
const run = async (to: string, given: Given = { finds: [] }, output?: 'json') => {
  const printed: string[] = [];
  const { client, asked } = controlPlane(given);
  const options = { to, timeout: 0.001, ...(output && { output }) };
  const code = await planClusterUpgrade(client, 'demo', options, (text) => printed.push(text));
  return { code, text: printed.join('\n'), asked };
};

it('shows the commands that begin it', async () => {
  const { text } = await run('v1.36.0', { finds: [] });
  expect(text).toMatch(/To begin it:\n {2}kubectl patch kubeadmcontrolplane cp -n default --type merge -p /);
});

it('shows no commands for one that would be refused', async () => {
  const { text } = await run('v1.36.0', { finds: [finding('Error', 'EtcdAlarm')] });
  expect(text).not.toContain('To begin it');
});

it.each<{ rule: string; to?: string; given: Given; code: number; says: RegExp; asks?: string[] }>([
  {
    rule: 'the control plane finds nothing',
    given: { finds: [] },
    code: 0,
    says: /0 problems, 0 warnings\n/,
    asks: ['POST v1.36.0'],
  },
  {
    rule: 'it finds only warnings',
    given: { before: { target: 'v1.36.0' }, finds: [finding('Warning', 'NodeCordoned')] },
    code: 3,
    says: /0 problems, 1 warning\n\nwarning {2}NodeCordoned {2}Node n\n {9}about NodeCordoned\.\n {9}mend it\./,
    asks: ['PATCH v1.36.0'],
  },
  {
    rule: 'it finds problems',
    to: '1.38.0',
    given: { finds: [finding('Error', 'MinorSkipped'), finding('Warning', 'NodeCordoned')] },
    code: 4,
    says: /1 problem, 1 warning\n\nproblem {2}MinorSkipped/,
    asks: ['POST v1.38.0'],
  },
  {
    rule: 'it cannot reach the cluster itself',
    given: { finds: [finding('Unknown', 'ClusterUnreachable', 'Cluster demo')] },
    code: 3,
    says: /0 problems, 0 warnings, 1 unknown\n\nunknown {2}ClusterUnreachable {2}Cluster demo/,
    asks: ['POST v1.36.0'],
  },
  {
    rule: 'it finds more than it lists',
    given: { finds: [finding('Warning', 'NodeCordoned')], omitted: 7 },
    code: 3,
    says: /MoreFindings {2}UpgradeCheck demo\n {9}7 further findings are not listed/,
    asks: ['POST v1.36.0'],
  },
  {
    rule: 'it does not answer, but its own objects show a problem',
    to: '1.38.0',
    given: {},
    code: 4,
    says: /1 problem, 0 warnings, 1 unknown[\s\S]*MinorSkipped[\s\S]*The control plane has not answered within 0\.001 s/,
    asks: ['POST v1.38.0'],
  },
  {
    rule: 'an operation keeps it busy',
    given: { cluster: demo({ annotations: { ...available, 'capstan.dev/operation': 'demo-upgrade-1' } }) },
    code: 3,
    says: /it may be busy with ClusterOperation demo-upgrade-1/,
    asks: ['POST v1.36.0'],
  },
  {
    rule: 'the cluster was never Available',
    given: { cluster: demo({ annotations: {} }) },
    code: 3,
    says: /unknown {2}WorkloadNotChecked {2}Cluster demo\n.*The Cluster was never Available/,
    asks: [],
  },
  {
    rule: 'a viewer may not ask, and the last check was for this version',
    given: { before: { target: 'v1.36.0', findings: [finding('Error', 'EtcdAlarm')] }, isViewer: true },
    code: 4,
    says: /problem {2}EtcdAlarm/,
    asks: [],
  },
  {
    rule: 'a viewer may not ask, and the last check was for another version',
    given: { before: { target: 'v1.37.0', findings: [finding('Error', 'EtcdAlarm')] }, isViewer: true },
    code: 3,
    says: /WorkloadNotChecked[\s\S]*upgradechecks is forbidden/,
    asks: [],
  },
])('exits with $code if $rule', async ({ to = 'v1.36.0', given, code, says, asks }) => {
  const ran = await run(to, given);
  expect(ran.text).toMatch(says);
  expect(ran.code).toBe(code);
  expect(ran.asked).toEqual(asks);
});

const operationOf = (phase: string, message: string, step = 'Preflight') =>
  object('ClusterOperation', 'demo-upgrade-1', { type: 'upgrade' }, { phase, message, step });

it.each<{ rule: string; operation: KubeObject; says: RegExp[]; hides?: RegExp }>([
  {
    rule: 'was refused, what for, and how to go on',
    operation: operationOf('RolledBack', 'Preflight was refused: FlagRemoved: no-such-flag'),
    says: [
      /ClusterOperation demo-upgrade-1 is RolledBack at Preflight: Preflight was refused: FlagRemoved: no-such-flag\n/,
      /Nothing begins by itself\. Once its cause is mended, run: capstan retry cluster demo\n/,
      /in spite of some,\nrun: capstan retry cluster demo --override FlagRemoved/,
    ],
  },
  {
    rule: 'runs',
    operation: operationOf('Running', 'waiting for a Node', 'ControlPlane'),
    says: [/demo-upgrade-1 is Running at ControlPlane: waiting for a Node\nUntil it ends, no other operation/],
    hides: /Nothing begins by itself/,
  },
  { rule: 'succeeded', operation: operationOf('Succeeded', 'done'), says: [], hides: /demo-upgrade-1/ },
])('reports of the last operation that it $rule', async ({ operation, says, hides }) => {
  const annotations = { ...available, 'capstan.dev/operation': 'demo-upgrade-1' };
  const finds = [finding('Error', 'FlagRemoved')];
  const { text } = await run('v1.36.0', { cluster: demo({ annotations }), finds, operation });
  for (const one of says) expect(text).toMatch(one);
  if (hides) expect(text).not.toMatch(hides);
});

it('prints the plan as JSON', async () => {
  const { text } = await run('v1.36.0', { finds: [] }, 'json');
  expect(JSON.parse(text)).toMatchObject({ target: 'v1.36.0', findings: [], stages: [] });
});

it.each([
  { to: 'soon', message: 'is not a version such as v1.36.2' },
  { to: '1.36', message: 'is not a version such as v1.36.2' },
])('refuses the version $to', ({ to, message }) => expect(run(to)).rejects.toThrow(message));

it('reports a cluster that does not exist', () =>
  expect(planClusterUpgrade(controlPlane({}).client, 'other', { to: 'v1.36.0' })).rejects.toThrow(
    'cluster.cluster.x-k8s.io "other" not found in namespace default',
  ));
