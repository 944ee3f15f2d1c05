import { describe, expect, it } from 'vitest';
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { CheckFinding, UpgradeCheck, UpgradeCheckStatus } from '../../kinds/operations/upgrade-check/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { TreeNode } from './node.ts';
import type { Steps } from './operation.ts';
import { fitTree, renderTree } from './render.ts';
import { type ClusterObjects, clusterTree } from './tree.ts';

const at = '2026-01-01T00:00:00Z';
const now = Date.parse(at) + 200_000;
const condition = (type: string, status: string, reason = type, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
});

const hindrance: CheckFinding = {
  code: 'DisruptionBudgetBlocks',
  category: 'Workload',
  status: 'Error',
  object: 'PodDisruptionBudget x',
  message: 'It never permits an eviction',
  remedy: 'Permit one',
};

const object = (kind: string, name: string, of: Partial<KubeObject> & { meta?: object } = {}): KubeObject => {
  const { meta, ...rest } = of;
  return { apiVersion: 'any/v1', kind, metadata: { name, uid: `${kind}/${name}`, ...meta }, ...rest };
};
const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'any/v1', kind, name, uid: `${kind}/${name}`, controller: true }],
});
const machine = (name: string, of: { owner: [string, string]; ready?: boolean; plane?: boolean }) =>
  object('Machine', name, {
    meta: { ...ownedBy(...of.owner), labels: of.plane ? { 'cluster.x-k8s.io/control-plane': '' } : {} },
    status: {
      conditions: ['Ready', 'Available', 'UpToDate'].map((type) =>
        condition(type, of.ready === false ? 'False' : 'True'),
      ),
    },
  });

const objects = (of: Partial<ClusterObjects> = {}): ClusterObjects => ({
  cluster: object('Cluster', 'c', {
    status: {
      conditions: [condition('Available', 'True')],
      controlPlane: { desiredReplicas: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 1 },
      workers: { desiredReplicas: 2, replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 2 },
    },
  }),
  operation: undefined,
  infrastructure: object('AWSCluster', 'c', { status: { conditions: [condition('Ready', 'True', '')] } }),
  controlPlane: object('KubeadmControlPlane', 'cp', { spec: { replicas: 1 }, status: { replicas: 1 } }),
  machineDeployments: [object('MachineDeployment', 'md', { spec: { replicas: 2 }, status: { replicas: 2 } })],
  machineSets: [object('MachineSet', 'ms', { meta: ownedBy('MachineDeployment', 'md') })],
  machines: [
    machine('m2', { owner: ['MachineSet', 'ms'] }),
    machine('m1', { owner: ['MachineSet', 'ms'] }),
    machine('p1', { owner: ['KubeadmControlPlane', 'cp'], plane: true }),
  ],
  machineParts: [],
  binding: undefined,
  ...of,
});

const outline = ({ label, children }: TreeNode): unknown =>
  children.length > 0 ? { [label]: children.map(outline) } : label;

describe('the tree of a cluster', () => {
  it('shows that a control plane is ready which says no more', () => {
    const status = { conditions: [condition('Ready', 'True')] };
    const tree = clusterTree(objects({ controlPlane: object('AWSManagedControlPlane', 'cp', { status }) }));
    expect(JSON.stringify(tree)).toMatch(/AWSManagedControlPlane\/cp","[^}]*"status":"Ready: True"/);
  });

  it('groups parts under their owners, and equal machines in one row', () => {
    expect(outline(clusterTree(objects()))).toEqual({
      'Cluster/c': [
        'ClusterInfrastructure - AWSCluster/c',
        { 'ControlPlane - KubeadmControlPlane/cp': ['Machine/p1'] },
        { Workers: [{ 'MachineDeployment/md': ['2 Machines...'] }] },
      ],
    });
  });

  it('shows the operation first, with as many steps as fit', () => {
    const step = (name: string, verdict: string) => ({ name, started: at, ended: at, verdict });
    const operation = object('ClusterOperation', 'c-create-1', {
      status: { phase: 'Running', steps: [step('Preflight', 'Succeeded'), step('Network', 'Running')] },
    }) as ClusterOperation;
    const first = (...steps: Steps[]) => outline(clusterTree(objects({ operation }), ...steps).children[0]!);
    expect(first()).toEqual({ 'ClusterOperation/c-create-1': ['Step/Preflight', 'Step/Network'] });
    expect(first('open')).toEqual({ 'ClusterOperation/c-create-1': ['1 step', 'Step/Network'] });
  });

  it('gives a machine that differs its own row', () => {
    const machines = [
      machine('m1', { owner: ['MachineSet', 'ms'] }),
      machine('m2', { owner: ['MachineSet', 'ms'], ready: false }),
    ];
    expect(outline(clusterTree(objects({ machines, controlPlane: undefined })))).toMatchObject({
      'Cluster/c': [expect.anything(), { Workers: [{ 'MachineDeployment/md': ['Machine/m1', 'Machine/m2'] }] }],
    });
  });

  it('shows the part of a machine that explains why it is not ready', () => {
    const machines = [machine('m1', { owner: ['MachineSet', 'ms'], ready: false })];
    const part = (kind: string, name: string, ...conditions: object[]) =>
      object(kind, name, { meta: ownedBy('Machine', 'm1'), status: { conditions } });
    const machineParts = [
      part(
        'AWSMachine',
        'why',
        condition('Ready', 'False', 'Failed', '0 of 2 completed'),
        condition('InstanceReady', 'False', 'Failed', 'no such type'),
      ),
      part('AWSMachine', 'echo', condition('Ready', 'False', 'Ready')),
      part('AWSMachine', 'fine', condition('Ready', 'True')),
      part('AWSMachine', 'mute', condition('Ready', 'True'), {
        ...condition('BootstrapExecSucceeded', 'False', 'BootstrapFailed', 'kubeadm: no space left on device'),
        severity: 'Warning',
      }),
    ];
    const row = clusterTree(objects({ machines, machineParts, controlPlane: undefined })).children[1]!.children[0]!
      .children[0]!;
    expect(row.children.map(({ label, reason, message }) => [label, reason, message])).toEqual([
      ['MachineInfrastructure - AWSMachine/why', 'Failed', 'no such type'],
      ['MachineInfrastructure - AWSMachine/mute', 'BootstrapFailed', 'kubeadm: no space left on device'],
    ]);
  });

  it('shows pools with their machines, and what keeps one from being Available', () => {
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachinePool' };
    const pool = (name: string, status: string) =>
      object('MachinePool', name, {
        spec: { replicas: 1, template: { spec: { infrastructureRef: { ...reference, name } } } },
        status: { replicas: 1, readyReplicas: 1, conditions: [condition('Available', status)] },
      });
    const failed = condition('Ready', 'False', 'LaunchFailed', 'InsufficientInstanceCapacity');
    const group = object('AWSMachinePool', 'ill', {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      meta: ownedBy('MachinePool', 'ill'),
      status: { conditions: [failed] },
    });
    const state = {
      machineDeployments: [],
      machineSets: [],
      machinePools: [pool('well', 'True'), pool('ill', 'False'), pool('new', 'False')],
      machines: [machine('w1', { owner: ['MachinePool', 'well'] })],
      machineParts: [group],
    };
    const tree = clusterTree(objects(state));
    expect(outline(tree.children.at(-1)!)).toEqual({
      Workers: [
        { 'MachinePool/ill': ['MachineInfrastructure - AWSMachinePool/ill'] },
        { 'MachinePool/new': ['MachineInfrastructure - AWSMachinePool/new'] },
        { 'MachinePool/well': ['Machine/w1'] },
      ],
    });
    const [ill, fresh] = tree.children.at(-1)!.children;
    expect(ill).toMatchObject({ status: 'Available: False', replicas: '1/1', ready: '1' });
    expect(ill!.children[0]).toMatchObject({ reason: 'LaunchFailed', message: 'InsufficientInstanceCapacity' });
    expect(fresh!.children[0]).toMatchObject({ status: 'Missing' });
  });

  it('shows machines without an existing owner under Other', () => {
    const machines = [machine('lost', { owner: ['MachineSet', 'gone'] })];
    expect(JSON.stringify(outline(clusterTree(objects({ machines }))))).toContain('{"Other":["Machine/lost"]}');
  });

  it('shows which ClusterResourceSets are applied', () => {
    const binding = object('ClusterResourceSetBinding', 'c', {
      spec: {
        bindings: [
          { clusterResourceSetName: 'a', resources: [{ applied: true }] },
          { clusterResourceSetName: 'b', resources: [{ applied: true }, { applied: false }] },
        ],
      },
    });
    const sets = clusterTree(objects({ binding })).children.at(-1)!;
    expect(sets.children.map(({ label, status }) => `${label} ${status}`)).toEqual([
      'ClusterResourceSet/a Applied: True',
      'ClusterResourceSet/b Applied: False',
    ]);
  });

  it('shows the pools that Capstan scales, their sizes by schedule, and why they do not grow', () => {
    const pool = { pool: 'MachineDeployment/default/md', min: 3, max: 5, replicas: 3 };
    const pools = [
      { ...pool, schedule: ['0 8 * * * duration=1h min=3'], sizesUntil: at, blocked: 'paused' },
      { ...pool, pool: 'MachineDeployment/default/other', dollarsPerHour: '0.2496', price: '0.0832' },
    ];
    const conditions = [condition('Ready', 'True', 'Deciding')];
    const scalingPlan = object('ScalingPlan', 'c', { status: { conditions, pools } }) as ScalingPlan;
    const tree = clusterTree(objects({ scalingPlan }));
    const row = tree.children.at(-1)!;
    expect([row.label, row.status]).toEqual(['ScalingPlan/c', 'Ready: True']);
    const first = `3 to 5 replicas by schedule 0 8 * * * duration=1h min=3 until ${at}; not scaled up: paused`;
    expect(row.children.map(({ label, message }) => [label, message])).toEqual([
      ['Pool/md', first],
      ['Pool/other', '3 to 5 replicas; $0.2496 an hour, $0.0832 each'],
    ]);
    expect(fitTree(tree, now, { columns: 200 }).join('\n')).toContain(first);
  });

  it.each<{ rule: string; status: UpgradeCheckStatus; rows: string[] }>([
    { rule: 'a check without findings', status: { target: 'v1.36.0', result: 'Passing' }, rows: [] },
    { rule: 'a check of an operation', status: { operation: 'c-upgrade-1', result: 'Error' }, rows: [] },
    {
      rule: 'what would hinder the next upgrade',
      status: { target: 'v1.36.0', result: 'Error', findings: [hindrance], omitted: 3 },
      rows: [
        'UpgradeCheck/c Error What would hinder an upgrade to v1.36.0; 3 more in UpgradeCheck c',
        'Finding/DisruptionBudgetBlocks Error PodDisruptionBudget x: It never permits an eviction. Permit one',
      ],
    },
  ])('shows $rule', ({ status, rows }) => {
    const upgradeCheck = object('UpgradeCheck', 'c', { status }) as UpgradeCheck;
    const shown = clusterTree(objects({ upgradeCheck })).children.filter(({ label }) =>
      label.startsWith('UpgradeCheck'),
    );
    const text = ({ label, status: level, message }: TreeNode) => `${label} ${level} ${message}`;
    expect(shown.flatMap((one) => [one, ...one.children]).map(text)).toEqual(rows);
  });

  it('says that a check is older than the last operation', () => {
    const status: UpgradeCheckStatus = { target: 'v1.36.0', result: 'Error', lastRefresh: '2026-01-01T00:00:00Z' };
    const upgradeCheck = object('UpgradeCheck', 'c', { status }) as UpgradeCheck;
    const operation = object('ClusterOperation', 'c-restore-1', {
      status: { phase: 'Succeeded', ended: '2026-01-01T00:10:00Z' },
    }) as ClusterOperation;
    const { message } = clusterTree(objects({ upgradeCheck, operation })).children.find(({ label }) =>
      label.startsWith('UpgradeCheck'),
    )!;
    expect(message).toMatch(
      /as of 2026-01-01T00:00:00Z, before c-restore-1 ended: capstan plan upgrade c checks again\)$/,
    );
  });

  it('shows a deletion before anything else', () => {
    const cluster = object('Cluster', 'c', {
      status: {
        conditions: [
          condition('Available', 'False'),
          condition('Deleting', 'True', 'WaitingForWorkersDeletion', '* Worker'),
        ],
      },
    });
    expect(clusterTree(objects({ cluster }))).toMatchObject({
      status: 'Deleting: True',
      reason: 'WaitingForWorkersDeletion',
      message: '* Worker',
    });
  });

  it('prints counts, ages and branches', () => {
    const lines = renderTree(clusterTree(objects()), now).split('\n');
    expect(lines[0]).toMatch(/^NAME +STATUS +REASON +SINCE +REPLICAS +AVAILABLE +READY +UP TO DATE +MESSAGE$/);
    expect(lines[1]).toMatch(/^Cluster\/c +Available: True +Available +3m20s +3\/3 +3 +3 +3$/);
    expect(lines.slice(2).map((line) => line.split(/ {2,}/)[0])).toEqual([
      '├─ClusterInfrastructure - AWSCluster/c',
      '├─ControlPlane - KubeadmControlPlane/cp',
      '│ └─Machine/p1',
      '└─Workers',
      '',
      '',
    ]);
  });

  it('names MachineHealthChecks that keep unhealthy Machines, with why and since when', () => {
    const frozen = condition('RemediationDeferred', 'True', 'ZoneUnhealthy', '* m1, m2: the zone is at fault');
    const check = object('MachineHealthCheck', 'mhc', { status: { conditions: [frozen] } });
    const quiet = object('MachineHealthCheck', 'quiet', {
      status: { conditions: [condition('RemediationAllowed', 'True')] },
    });
    const rows = clusterTree(objects({ healthChecks: [check, quiet] })).children.filter(({ label }) =>
      label.startsWith('MachineHealthCheck/'),
    );
    expect(rows).toMatchObject([
      {
        label: 'MachineHealthCheck/mhc',
        status: 'RemediationDeferred: True',
        reason: 'ZoneUnhealthy',
        since: at,
        message: '* m1, m2: the zone is at fault',
      },
    ]);
  });
});
